import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { queueArn } from "../src/sqs/queue-settings.ts";
import { type SqsServer, startSqs } from "../src/sqs/sqs-server.ts";
import { promptly, QueueUnderTest, sqsClient } from "./sqs-fixture.ts";

let dataDirectory: string;
let running: SqsServer[];
let skippedMilliseconds: number;

beforeEach(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), "sqs-test-"));
  running = [];
  skippedMilliseconds = 0;
});

afterEach(async () => {
  await Promise.all(running.map((server) => server.close()));
  await rm(dataDirectory, { recursive: true });
});

const start = async (): Promise<SqsServer> => {
  const server = await startSqs({ dataDirectory, now: () => Date.now() + skippedMilliseconds });
  running.push(server);
  return server;
};

const stop = async (server: SqsServer): Promise<void> => {
  running = running.filter((other) => other !== server);
  await server.close();
};

const queueOf = (server: Pick<SqsServer, "endpoint">, name: string): QueueUnderTest =>
  new QueueUnderTest(sqsClient(server.endpoint), `${server.endpoint}/000000000000/${name}`);

const fifoProperties = { FifoQueue: true, ContentBasedDeduplication: true };

describe("The embedded SQS after a restart", () => {
  it("has its queues and their messages, and still knows what it has seen", async () => {
    const before = await start();
    before.ensureQueue("kept.fifo", { ...fifoProperties, VisibilityTimeout: 77 });
    await queueOf(before, "kept.fifo").send("kept", { MessageGroupId: "group" });
    await stop(before);

    const queue = queueOf(await start(), "kept.fifo");
    await queue.send("kept", { MessageGroupId: "group" });

    expect(await queue.receiveBodies()).toEqual(["kept"]);
    expect(await queue.attributes()).toMatchObject({ VisibilityTimeout: "77", FifoQueue: "true" });
  });

  it("hides a message in flight until its timeout, and lets its receiver delete it", async () => {
    const before = await start();
    before.ensureQueue("in-flight", { VisibilityTimeout: 30 });
    const earlier = queueOf(before, "in-flight");
    await earlier.send("finished after the restart");
    await earlier.send("abandoned");
    const [finished] = await earlier.receive();
    await stop(before);

    const queue = queueOf(await start(), "in-flight");
    expect(await queue.receive()).toEqual([]);
    await queue.delete(finished ?? {});
    skippedMilliseconds = 31_000;

    expect(await queue.receiveBodies()).toEqual(["abandoned"]);
  });

  it("ends the connections of waiting receivers when it is closed", async () => {
    const server = await start();
    server.ensureQueue("closing", {});
    const { bodies } = await queueOf(server, "closing").startWaiting();
    const refused = expect(promptly(bodies)).rejects.toThrow("socket hang up");
    await stop(server);

    await refused;
  });

  it("loses no acknowledged message when its process is killed", async () => {
    const child = await startInOwnProcess(dataDirectory);
    const queue = queueOf(child, "killed.fifo");
    const acknowledged: string[] = [];
    const sending = (async () => {
      for (let index = 0; ; index += 1) {
        await queue.send(`message ${index}`, { MessageGroupId: `group-${index}` });
        acknowledged.push(`message ${index}`);
        if (acknowledged.length === 50) await child.kill();
      }
    })();
    await expect(sending).rejects.toThrow();
    await child.kill();
    expect(acknowledged.length).toBeGreaterThanOrEqual(50);

    const server = await start();
    const received: (string | undefined)[] = [];
    for (
      let bodies = ["first round"] as (string | undefined)[];
      bodies.length > 0;
      received.push(...bodies)
    ) {
      bodies = await queueOf(server, "killed.fifo").receiveBodies();
    }

    expect(received).toEqual(expect.arrayContaining(acknowledged));
    expect(new Set(received).size).toBe(received.length);
  });
});

interface OwnProcess {
  readonly endpoint: string;
  /** Kills the process without a warning; resolves when it is gone. */
  kill(): Promise<unknown>;
}

const startInOwnProcess = async (directory: string): Promise<OwnProcess> => {
  const module = new URL("../src/sqs/sqs-server.ts", import.meta.url).href;
  const program = `
    import { startSqs } from ${JSON.stringify(module)};
    const server = await startSqs({ dataDirectory: process.argv[1] });
    server.ensureQueue("killed.fifo", ${JSON.stringify(fifoProperties)});
    process.stdout.write(server.endpoint);
  `;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program, directory], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const [endpoint] = await once(child.stdout, "data");
  return {
    endpoint: String(endpoint),
    kill: () => {
      child.kill("SIGKILL");
      return exited;
    },
  };
};

describe("A queue of a template", () => {
  it("has the properties of its CloudFormation resource, written in any type", async () => {
    const server = await start();
    server.ensureQueue("dead.fifo", { FifoQueue: "true" });
    server.ensureQueue("from-template.fifo", {
      FifoQueue: true,
      ContentBasedDeduplication: "true",
      VisibilityTimeout: "360",
      MessageRetentionPeriod: 86_400,
      ReceiveMessageWaitTimeSeconds: 5,
      RedrivePolicy: { deadLetterTargetArn: queueArn("dead.fifo"), maxReceiveCount: 3 },
      SqsManagedSseEnabled: true,
      Tags: [{ Key: "stage", Value: "local" }],
    });

    const attributes = await queueOf(server, "from-template.fifo").attributes();

    expect(attributes).toMatchObject({
      FifoQueue: "true",
      ContentBasedDeduplication: "true",
      VisibilityTimeout: "360",
      MessageRetentionPeriod: "86400",
      ReceiveMessageWaitTimeSeconds: "5",
      DelaySeconds: "0",
    });
    expect(JSON.parse(attributes["RedrivePolicy"] ?? "")).toEqual({
      deadLetterTargetArn: queueArn("dead.fifo"),
      maxReceiveCount: 3,
    });
  });

  it("keeps its messages when its properties change", async () => {
    const server = await start();
    server.ensureQueue("changing", { VisibilityTimeout: 10 });
    const queue = queueOf(server, "changing");
    await queue.send("kept");
    server.ensureQueue("changing", { DelaySeconds: 1 });

    expect(await queue.attributes()).toMatchObject({ VisibilityTimeout: "30", DelaySeconds: "1" });
    expect(await queue.receiveBodies()).toEqual(["kept"]);
  });

  it("is refused when a property is out of its bounds", async () => {
    const server = await start();
    expect(() => server.ensureQueue("wrong", { VisibilityTimeout: "soon" })).toThrow("VisibilityTimeout");
  });
});

describe("The embedded SQS is idle", () => {
  it("when it has no messages, and becomes so with the deletion of the last one", async () => {
    const server = await start();
    server.ensureQueue("work", { VisibilityTimeout: 30 });
    const queue = queueOf(server, "work");
    expect(server.isIdle()).toBe(true);
    await queue.send("x");
    expect(server.isIdle()).toBe(false);
    const message = await queue.receiveOne();
    expect(server.isIdle()).toBe(false);
    const idle = server.whenIdle(20_000);
    await queue.delete(message);

    expect(await promptly(idle)).toBe(true);
  });

  it("not while a message is delayed", async () => {
    const server = await start();
    server.ensureQueue("work", { DelaySeconds: 60 });
    await queueOf(server, "work").send("x");

    expect(server.isIdle()).toBe(false);
    expect(await server.whenIdle(50)).toBe(false);
  });

  it("also when its dead-letter queue holds messages", async () => {
    const server = await start();
    server.ensureQueue("dead", {});
    server.ensureQueue("work", {
      RedrivePolicy: { deadLetterTargetArn: queueArn("dead"), maxReceiveCount: 1 },
    });
    const queue = queueOf(server, "work");
    await queue.send("poison");
    await queue.receiveOne({ VisibilityTimeout: 0 });
    const idle = server.whenIdle(20_000);
    await queue.receive();

    expect(await promptly(idle)).toBe(true);
    expect(await queueOf(server, "dead").receiveBodies()).toEqual(["poison"]);
  });

  it("stops waiting when it is closed", async () => {
    const server = await start();
    server.ensureQueue("work", {});
    await queueOf(server, "work").send("x");
    const idle = server.whenIdle(20_000);
    await stop(server);

    expect(await promptly(idle)).toBe(false);
  });
});

describe("A queue whose worker starts", () => {
  it("redelivers what the worker of an earlier process had received and not finished", async () => {
    const before = await start();
    before.ensureQueue("work.fifo", { ...fifoProperties, VisibilityTimeout: 1_800 });
    const earlier = queueOf(before, "work.fifo");
    await earlier.send("abandoned", { MessageGroupId: "group" });
    await earlier.receive();
    await stop(before);

    const server = await start();
    const queue = queueOf(server, "work.fifo");
    expect(await queue.receive()).toEqual([]);
    server.attachWorker("work.fifo");

    expect(await queue.receive()).toMatchObject([
      { Body: "abandoned", Attributes: { ApproximateReceiveCount: "2" } },
    ]);
  });

  it("is part of whenIdle, even if it is a dead-letter queue", async () => {
    const server = await start();
    server.ensureQueue("dead", {});
    server.ensureQueue("work", {
      RedrivePolicy: { deadLetterTargetArn: queueArn("dead"), maxReceiveCount: 1 },
    });
    await queueOf(server, "dead").send("dead-lettered");
    expect(server.isIdle()).toBe(true);
    server.attachWorker("dead");

    expect(server.isIdle()).toBe(false);
  });
});
