import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { isRunning, type LambdaUnderTest, returned, startLambda } from "./lambda-fixture.ts";

let lambda: LambdaUnderTest;

afterEach(async () => {
  await lambda.stop();
});

const source = `
  import { appendFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
  import { setTimeout as sleep } from "node:timers/promises";

  let invocations = 0;
  const identify = () => ({ processId: process.pid, invocations: ++invocations });

  export const identity = async () => identify();
  export const meet = async ({ number, expected }) => {
    writeFileSync("present-" + number, "");
    const present = () => readdirSync(".").filter((file) => file.startsWith("present-")).length;
    while (present() < expected) await sleep(10);
    return identify();
  };
  export const inTurn = async ({ number }) => {
    appendFileSync("turns", "begin " + number + "\\n");
    await sleep(10);
    appendFileSync("turns", "end " + number + "\\n");
  };
  export const crash = async ({ how }) => {
    if (how === "exit") process.exit(3);
    if (how === "quiet exit") process.exit(0);
    if (how === "nothing left to do") await new Promise(() => {});
    if (how === "floating rejection") Promise.reject(new Error("an unhandled rejection"));
    if (how === "memory") { const hoard = []; for (;;) hoard.push(new Array(100_000).fill(hoard.length)); }
    return identify();
  };
  export const slow = async ({ milliseconds }) => {
    if (milliseconds > 0) writeFileSync("slow-process", String(process.pid));
    await sleep(milliseconds);
    return identify();
  };
  export const busy = async () => {
    writeFileSync("busy-process", String(process.pid));
    for (;;);
  };`;

const start = async (functions: Parameters<typeof startLambda>[0]["functions"], maxConcurrency?: number) => {
  lambda = await startLambda({
    source,
    functions,
    ...(maxConcurrency !== undefined && { maxConcurrency }),
  });
  return lambda.service;
};

interface Identity {
  processId: number;
  invocations: number;
}
const identity = (result: Parameters<typeof returned>[0]): Identity => Object(returned(result));

const slowStarted = () =>
  expect.poll(() => existsSync(join(lambda.directory, "slow-process")), { timeout: 5_000 }).toBe(true);

describe("Invocations", () => {
  it("of the same function run in parallel, each in an environment of its own", async () => {
    const service = await start({ meet: { timeoutSeconds: 25 } });
    const numbers = Array.from({ length: 20 }, (_, number) => number);
    const results = await Promise.all(
      numbers.map((number) => service.invoke("meet", { number, expected: numbers.length })),
    );
    expect(new Set(results.map((result) => identity(result).processId)).size).toBe(20);
  });

  it("one after the other share an environment", async () => {
    const service = await start({ identity: {} });
    const identities: Identity[] = [];
    for (let count = 0; count < 50; count += 1)
      identities.push(identity(await service.invoke("identity", {})));
    expect(new Set(identities.map(({ processId }) => processId)).size).toBe(1);
    expect(identities.at(-1)?.invocations).toBe(50);
  });

  it("beyond the limit wait, and run in the order they came", async () => {
    const service = await start({ inTurn: {} }, 1);
    await Promise.all([1, 2, 3, 4, 5].map((number) => service.invoke("inTurn", { number })));
    const turns = await readFile(join(lambda.directory, "turns"), "utf8");
    expect(turns.trim().split("\n")).toEqual(
      [1, 2, 3, 4, 5].flatMap((number) => [`begin ${number}`, `end ${number}`]),
    );
  });

  it("of one function replace idle environments of another at the limit", async () => {
    const service = await start({ identity: {}, slow: {} }, 1);
    const first = identity(await service.invoke("identity", {}));
    await service.invoke("slow", { milliseconds: 0 });
    await expect.poll(() => isRunning(first.processId)).toBe(false);
    expect(identity(await service.invoke("identity", {})).invocations).toBe(1);
  });

  it("whose callers have left continue in their environment", async () => {
    const service = await start({ slow: {} }, 1);
    const caller = new AbortController();
    const abandoned = service.invoke("slow", { milliseconds: 1_000 }, { signal: caller.signal });
    const queued = service.invoke("slow", { milliseconds: 1_000 }, { signal: caller.signal });
    const next = service.invoke("slow", { milliseconds: 0 });
    await slowStarted();
    const rejected = [abandoned, queued].map((result) =>
      expect(result).rejects.toThrow("the client hung up"),
    );
    caller.abort(new Error("the client hung up"));
    await Promise.all(rejected);
    // The abandoned one was started and is counted; the one that was still queued never ran.
    expect(identity(await next).invocations).toBe(2);
    await expect(service.invoke("slow", {}, { signal: caller.signal })).rejects.toThrow("the client hung up");
  });
});

describe("An environment", () => {
  it.each([
    ["exits with a status", "exit", "Runtime exited with error: exit status 3"],
    ["exits without one", "quiet exit", "Runtime exited without providing a reason"],
    ["has nothing left to do", "nothing left to do", "Runtime exited without providing a reason"],
    ["leaves a rejection unhandled", "floating rejection", "Runtime exited with error: exit status 1"],
    ["runs out of memory", "memory", "Runtime exited with error: signal: aborted"],
  ])("that %s is replaced", async (_what, how, reason) => {
    const service = await start({ crash: { memoryMegabytes: 64 } });
    const first = identity(await service.invoke("crash", {}));
    const result = await service.invoke("crash", { how });
    expect(result).toMatchObject({ kind: "error", errorType: "Runtime.ExitError" });
    expect(result).toHaveProperty("errorMessage", expect.stringMatching(/^RequestId: [0-9a-f-]{36} Error: /));
    expect(result).toHaveProperty("errorMessage", expect.stringContaining(reason));
    const second = identity(await service.invoke("crash", {}));
    expect(second.invocations).toBe(1);
    expect(second.processId).not.toBe(first.processId);
  });

  it.each(["slow", "busy"])("of a %s function is killed at the timeout and replaced", async (name) => {
    const service = await start({ slow: { timeoutSeconds: 0.4 }, busy: { timeoutSeconds: 0.4 } });
    const expected = {
      kind: "error",
      errorType: "Sandbox.Timedout",
      errorMessage: expect.stringContaining("Task timed out after 0.40 seconds"),
    };
    expect(await service.invoke(name, { milliseconds: 60_000 })).toEqual(expected);
    const processId = Number(await readFile(join(lambda.directory, `${name}-process`), "utf8"));
    await expect.poll(() => isRunning(processId)).toBe(false);
    expect(identity(await service.invoke("slow", { milliseconds: 0 })).invocations).toBe(1);
  });
});

describe("The service", () => {
  it("keeps its environments through the Ctrl-C that a terminal sends to every process", async () => {
    const service = await start({ slow: {} });
    const inFlight = service.invoke("slow", { milliseconds: 100 });
    await slowStarted();
    process.kill(Number(await readFile(join(lambda.directory, "slow-process"), "utf8")), "SIGINT");
    expect(identity(await inFlight).invocations).toBe(1);
    expect(identity(await service.invoke("slow", { milliseconds: 0 })).invocations).toBe(2);
  });

  it("recycles its environments once invocations in flight are finished", async () => {
    const service = await start({ slow: {} });
    const idle = identity(await service.invoke("slow", { milliseconds: 0 }));
    const inFlight = service.invoke("slow", { milliseconds: 200 });
    await slowStarted();
    await service.recycle();
    const finished = identity(await inFlight);
    expect(finished.processId).toBe(idle.processId);
    expect(isRunning(idle.processId)).toBe(false);
    expect(identity(await service.invoke("slow", { milliseconds: 0 })).invocations).toBe(1);
  });

  it("ends every process when it is closed, and fails what is in flight or comes later", async () => {
    const service = await start({ slow: {} });
    const { processId } = identity(await service.invoke("slow", { milliseconds: 0 }));
    const inFlight = service.invoke("slow", { milliseconds: 60_000 });
    await slowStarted();
    await service.close();
    expect(await inFlight).toMatchObject({ kind: "error", errorType: "Runtime.ExitError" });
    expect(isRunning(processId)).toBe(false);
    expect(await service.invoke("slow", {})).toMatchObject({ kind: "error", errorType: "ServiceException" });
  });

  it("that is closed before its first invocation leaves nothing running", async () => {
    const openServers = () =>
      process.getActiveResourcesInfo().filter((name) => name === "TCPServerWrap").length;
    const before = openServers();
    const service = await start({ slow: {} });
    await service.close();
    expect(await service.invoke("slow", {})).toMatchObject({ kind: "error", errorType: "ServiceException" });
    expect(openServers()).toBe(before);
  });
});
