import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { platform, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { deliveryOf, postDelivery } from "../../../infra/local/messaging/deliveries.ts";
import {
  completion,
  type FakeBackend,
  hanging,
  responding,
  startFakeBackend,
} from "../../support/fake-backend.ts";
import { type RunningService, runCommand, runService } from "../../support/run-service.ts";

let model: FakeBackend;
let folder: string;
let variables: Record<string, string>;
let service: RunningService;

/** A new person, in every test. */
let person = "256700000000";

beforeAll(async () => {
  model = await startFakeBackend();
  folder = await mkdtemp(join(tmpdir(), "language-ai-messaging-"));
  variables = { PORT: "0", DATA_DIR: folder, CHAT_BASE_URL: model.baseUrl, CHAT_TIMEOUT_MS: "10000" };
  service = await runService(variables);
}, 60_000);
afterAll(async () => {
  await service.stop();
  await model.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(() => {
  person = String(Number(person) + 1);
  model.behave(responding(200, completion("It is 42.")));
});

const sentMessages = z.array(
  z.object({ to: z.string(), body: z.object({ text: z.object({ body: z.string() }).optional() }) }),
);

/** The texts that the person has got so far, without what we store about them; menus count as empty. */
const texts = async (): Promise<string[]> => {
  const response = await fetch(`${service.url}/_local/messages?wait=no`);
  const all = sentMessages.parse(await response.json());
  return all
    .filter(({ to }) => to === person)
    .map(({ body }) => body.text?.body ?? "")
    .filter((words) => !words.includes("/privacy"));
};

const ask = async (turn: string, words = `What is the answer, asks ${person}?`): Promise<unknown> => {
  const message = { from: person, id: `wamid.${person}.${turn}`, type: "text", text: { body: words } };
  const response = await postDelivery(
    `${service.url}/tasks/webhook`,
    deliveryOf({ messages: [message] }),
    "local-app-secret",
  );
  return response.json();
};

/** How often the model was called for this person; calls for others reach it as well. */
const questions = (): number => model.received.filter(({ body }) => body.includes(person)).length;

/** The processes that run a function of this service: its own children, by the folder they run in. */
const processesOf = (feature: string): number[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const parent = Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${name}/status`, "utf8"))?.[1]);
        const runs = basename(readlinkSync(`/proc/${name}/cwd`));
        return parent === service.child.pid && runs === feature ? [Number(name)] : [];
      } catch {
        // It has ended meanwhile, or belongs to another person.
        return [];
      }
    });

const polling = { timeout: 45_000, interval: 100 };

describe("the assistant on one machine", () => {
  it("acknowledges a delivery while the model is still silent", async () => {
    model.behave(hanging);
    expect(await ask("first")).toMatchObject({ status: "success" });
    await expect.poll(questions, polling).toBe(1);
    expect(await ask("second")).toMatchObject({ status: "success" });
    expect(await texts()).toEqual([]);
  }, 60_000);

  it.runIf(platform() === "linux")(
    "replies once although its worker is killed during a message",
    async () => {
      model.behave(hanging);
      await ask("first");
      await expect.poll(questions, polling).toBe(1);
      model.behave(responding(200, completion("It is 42.")));
      const workers = processesOf("messaging");
      expect(workers.length).toBeGreaterThan(0);
      for (const worker of workers) process.kill(worker, "SIGKILL");
      await expect.poll(texts, polling).toEqual(["It is 42.", ""]);
    },
    90_000,
  );

  it("replies once although the whole service is killed during a message, when it is back", async () => {
    model.behave(hanging);
    await ask("first");
    await expect.poll(questions, polling).toBe(1);
    service.child.kill("SIGKILL");
    await service.ended;
    model.behave(responding(200, completion("It is 42.")));
    service = await runService(variables);
    await expect.poll(texts, polling).toEqual(["It is 42.", ""]);
    await ask("first");
    await ask("second");
    await expect.poll(texts, polling).toEqual(["It is 42.", "", "It is 42."]);
  }, 120_000);

  it("apologises when the model fails", async () => {
    model.behave(responding(500, { error: { message: "CUDA out of memory" } }));
    await ask("first");
    await expect.poll(texts, polling).toEqual([expect.stringContaining("Sorry, "), ""]);
  }, 60_000);
});

describe("the commands", () => {
  const run = async (file: string, ...args: string[]) => {
    const command = runCommand(`infra/commands/${file}.ts`, args, variables);
    const code = await command.ended;
    return { code, output: command.output() };
  };
  const talk = (...args: string[]) => run("message", ...args, "--from", person);

  it("`npm run message` plays a person and prints the replies", async () => {
    expect(await talk("What is the answer?", "--name", "Okello")).toEqual({
      code: 0,
      output: expect.stringMatching(
        /^ {2}\| I store our messages .*\n {2}\| It is 42\.\n {2}\| == Welcome to Language AI ==\n[\s\S]*\[ Get Help/,
      ),
    });
    expect((await talk("hello", "--name", "Okello")).output).toContain("Hello Okello!");
    expect((await talk("--choose", "Acholi")).output).toContain("Your language is Acholi");
    expect((await talk("--react", "👍")).output).toContain("[ Excellent ]");
    expect((await talk("--voice", "package.json")).output).toMatch(/listening[\s\S]*could not play/);
    expect((await run("message", "status", "--from", "256700000999")).output).toContain("Language: English");
  }, 90_000);

  it("`npm run message` explains itself, and says when it is not heard", async () => {
    expect(await run("message")).toMatchObject({ code: 1, output: expect.stringContaining("Usage:") });
    const wrongSecret = runCommand("infra/commands/message.ts", ["Hello"], {
      ...variables,
      MESSAGING_APP_SECRET: "another",
    });
    expect(await wrongSecret.ended).toBe(1);
    expect(wrongSecret.output()).toContain('The webhook responded "rejected"');
    const nowhere = runCommand("infra/commands/message.ts", ["Hello"], { DATA_DIR: join(folder, "nowhere") });
    expect(await nowhere.ended).toBe(1);
    expect(nowhere.output()).toBe("The service is not running; start it with npm start.\n");
  }, 60_000);

  it("`npm run account -- --forget-sender` deletes everything about a person", async () => {
    const lastText = async () => (await texts()).at(-1);
    await ask("first", "set mode translate");
    await ask("second", "status");
    await expect.poll(lastText, polling).toContain("Mode: Translate");
    expect(await run("account", "--forget-sender", person)).toMatchObject({
      code: 0,
      output: expect.stringContaining('"deleted_items": 3'),
    });
    expect(await run("account", "--forget-sender", person)).toEqual({
      code: 1,
      output: `There is no data about the sender ${person}.\n`,
    });
    await ask("third", "status");
    await expect.poll(async () => (await texts()).join(), polling).toContain("Mode: Chat");
    expect(await run("account", "amina", "--forget-sender", person)).toMatchObject({ code: 1 });
  }, 90_000);
});
