import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { deliveryOf, postDelivery } from "../../infra/local/messaging/deliveries.ts";
import { newRegistration } from "../support/api-client.ts";
import { endurance } from "../support/endurance.ts";
import {
  completion,
  type FakeBackend,
  hanging,
  responding,
  startFakeBackend,
} from "../support/fake-backend.ts";
import { type LoopbackServer, listenOnLoopback } from "../support/loopback-server.ts";
import { type OwnService, startOwnService } from "../support/own-service.ts";
import { processesOf } from "../support/run-service.ts";
import { type Listener, recordWords, speakWords, startListener } from "../support/spoken-words.ts";

/** How long the recording is; a piece of it has at most nine and a half minutes. */
const seconds = endurance(1_500, 3 * 60 * 60);
const pieces = Math.ceil(seconds / 570);
const kills = endurance(2, 6);
const registrations = endurance(16, 60);

let chat: FakeBackend;
let listener: Listener;
let recording: ReturnType<typeof recordWords>;
let receiver: LoopbackServer;
let service: OwnService;
/** Everything that a receiver of callbacks got. */
const callbacks: { readonly headers: Record<string, string>; readonly body: string }[] = [];

beforeAll(async () => {
  const voice = await speakWords();
  recording = recordWords(voice, seconds, 1);
  listener = await startListener(voice, endurance(1_500, 4_000));
  chat = await startFakeBackend();
  receiver = await listenOnLoopback(
    createServer((request, response) => {
      void text(request).then((body) => {
        const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)]);
        callbacks.push({ headers: Object.fromEntries(headers), body });
        response.writeHead(204).end();
      });
    }),
  );
  service = await startOwnService({
    CHAT_BASE_URL: chat.baseUrl,
    // Longer than what happens meanwhile, on a busy machine as well.
    CHAT_TIMEOUT_MS: "120000",
    TRANSCRIPTION_BASE_URL: listener.baseUrl,
    CALLBACKS_ALLOW_LOOPBACK: "1",
  });
}, 300_000);
afterAll(async () => {
  await service.close();
  await Promise.all([chat.close(), listener.close(), receiver.close()]);
});

const polling = { timeout: 60_000, interval: 100 };

/** Kills the processes of a function. @returns how many there were. */
const kill = (functionName: string, max: number): number => {
  const found = processesOf(service.running(), functionName).slice(0, max);
  for (const id of found) process.kill(id, "SIGKILL");
  return found.length;
};

/** A person who writes to the assistant. */
const newWriter = (id: string) => {
  const sent = z.array(
    z.object({ to: z.string(), body: z.object({ text: z.object({ body: z.string() }).optional() }) }),
  );
  return {
    write: async (turn: string): Promise<unknown> => {
      const words = `What is the answer, asks ${id}?`;
      const message = { from: id, id: `wamid.${id}.${turn}`, type: "text", text: { body: words } };
      const url = `${service.running().url}/tasks/webhook`;
      return (await postDelivery(url, deliveryOf({ messages: [message] }), "local-app-secret")).json();
    },
    /** How often the model was called for this person. */
    questions: () => chat.received.filter(({ body }) => body.includes(id)).length,
    /** What the person has got so far, without what we store about them; menus count as empty. */
    replies: async (): Promise<string[]> =>
      sent
        .parse(await service.client.send("/_local/messages?wait=no"))
        .filter(({ to }) => to === id)
        .map(({ body }) => body.text?.body ?? "")
        .filter((words) => !words.includes("/privacy")),
  };
};

const answer = responding(200, completion("It is 42."));

// Finding a function's processes needs /proc.
describe.skipIf(process.platform !== "linux")("When processes are killed in the middle of their work", () => {
  it("a message is acknowledged at once, and gets one reply although its worker is killed", async () => {
    const person = newWriter("256700000001");
    chat.behave(hanging);
    expect(await person.write("first")).toMatchObject({ status: "success" });
    await expect.poll(person.questions, polling).toBe(1);
    chat.behave(answer);
    expect(kill("messaging", 10)).toBeGreaterThan(0);
    await expect.poll(person.replies, polling).toEqual(["It is 42.", ""]);
  }, 120_000);

  it("the whole service loses no account, no message and no word, and repeats none", async () => {
    const { client } = service;
    const owner = await client.createAccount();
    const { secret } = await client.send("/auth/webhook-secret", { token: owner.token });
    const fields = { type: "transcription", language: "eng", timestamps: true };
    const callback_url = `${receiver.url}/told`;
    const job = await client.startJob(recording.wav, { ...fields, callback_url }, { token: owner.token });
    for (let killed = 0; killed < kills; ) {
      const before = listener.calls();
      await expect.poll(() => listener.calls(), polling).toBeGreaterThan(killed === 0 ? 0 : before);
      killed += kill("job-worker", 1);
    }
    const person = newWriter("256700000002");
    chat.behave(hanging);
    await person.write("first");
    await expect.poll(person.questions, polling).toBe(1);

    const confirmed: { readonly username: string; readonly password: string }[] = [];
    const registerUntilKilled = async () => {
      for (;;) {
        const registration = newRegistration();
        const response = await client.call("/auth/register", { body: registration }).catch(() => undefined);
        if (!response) return;
        if (response.status === 201) confirmed.push(registration);
        if (confirmed.length === registrations) service.running().child.kill("SIGKILL");
      }
    };
    await Promise.all(Array.from({ length: 8 }, registerUntilKilled));
    chat.behave(answer);
    await service.killAndRestart();

    expect(confirmed.length).toBeGreaterThanOrEqual(registrations);
    const accounts = await service.accounts();
    for (const { username } of confirmed) expect(await accounts.find({ username }), username).toBeDefined();
    const [{ username, password } = owner] = confirmed;
    expect((await client.logIn(username, password)).status).toBe(200);

    await expect.poll(person.replies, polling).toEqual(["It is 42.", ""]);
    await person.write("first");
    await person.write("second");
    await expect.poll(person.replies, polling).toEqual(["It is 42.", "", "It is 42."]);

    const { body } = await client.whenOver(job.id, owner.token);
    expect(body).toMatchObject({ status: "completed", progress: { done: seconds, total: seconds } });
    const result = await client.send(`/tasks/jobs/${job.id}/result`, { token: owner.token });
    expect(result.duration_seconds).toBe(seconds);
    expect(result.text.split(" ")).toEqual(recording.words);
    const segments: { readonly start: number; readonly end: number; readonly text: string }[] =
      result.segments;
    expect(segments.map((segment) => segment.text).join(" ")).toBe(result.text);
    expect(segments.filter(({ start }, index) => start < (segments[index - 1]?.start ?? 0))).toEqual([]);
    // What killed processes had in work is transcribed again.
    expect(listener.calls()).toBeLessThanOrEqual(pieces + 2 * (kills + 1));
    const usage = await client.send("/auth/usage", { token: owner.token });
    expect(JSON.stringify(usage)).toContain(`"audio_seconds":${seconds}`);

    await expect.poll(() => callbacks.length, polling).toBeGreaterThan(0);
    const [callback] = callbacks;
    expect(new Webhook(secret).verify(callback?.body ?? "", callback?.headers ?? {})).toMatchObject({
      type: "job.completed",
      data: { id: job.id, status: "completed" },
    });
    expect(new Set(callbacks.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
  }, 900_000);
});
