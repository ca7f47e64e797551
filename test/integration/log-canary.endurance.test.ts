import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { functionDefinitions } from "../../functions/manifest.ts";
import { logEvents } from "../../shared/platform/telemetry/log-events.ts";
import {
  type CanaryService,
  canary,
  canaryAccount,
  failingWithCanary,
  speakingOfCanary,
  startCanaryService,
} from "../support/canary.ts";
import { endurance } from "../support/endurance.ts";
import { completion, type FakeBackend, responding, startFakeBackend } from "../support/fake-backend.ts";
import { formData, formFile } from "../support/multipart.ts";
import { parseEvent, sampleEvents } from "../support/sample-events.ts";
import { audioBytes, wavFile } from "../support/wav.ts";

let backend: FakeBackend;
let service: CanaryService;

const chat = (stream: boolean) =>
  service.sendJson("/tasks/chat/completions", {
    model: "lang-14b",
    stream,
    messages: [
      { role: "system", content: `You are ${canary}.` },
      { role: "user", content: `Who is ${canary}?` },
    ],
  });

const translate = () =>
  service.sendJson("/tasks/translate", {
    source_language: "eng",
    target_language: "lug",
    text: `${canary} was here`,
  });

/** The canary in place of every string of a body, or behind it. */
const withCanary = (value: unknown, change: (text: string) => string): unknown => {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((one) => withCanary(one, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withCanary(one, change)]));
};

const inText = (text: string, type: string, change: (text: string) => string): string => {
  if (type.startsWith("application/json")) return JSON.stringify(withCanary(JSON.parse(text), change));
  const fields = [...new URLSearchParams(text)].map(([name, value]): [string, string] => [
    name,
    change(value),
  ]);
  return new URLSearchParams(fields).toString();
};

/** Sends the sample of an operation with the canary in every field of its body, query and path. */
const sendSample = async (text: string | undefined, change: (text: string) => string): Promise<void> => {
  const event = parseEvent(text);
  const query = Object.entries(event.queryStringParameters ?? {}).map(([name, value]): [string, string] => [
    name,
    change(value ?? ""),
  ]);
  const path = event.resource.replaceAll(/\{.+?\}/g, encodeURIComponent(change("lug")));
  const type = event.headers["Content-Type"] ?? "application/json";
  const isForm = type.startsWith("multipart/form-data");
  const form = () =>
    formData({
      audio: formFile(wavFile(audioBytes(9_600), { comment: canary, stated: true }), `${canary}.wav`),
      // The route that detects a language takes candidates.
      [path === "/tasks/auto_detect_audio_language" ? "languages" : "language"]: change("lug"),
    });
  await service.send(
    `${path}?${new URLSearchParams(query)}`,
    event.body === null ? undefined : isForm ? form() : inText(event.body, type, change),
    { method: event.httpMethod, headers: isForm || event.body === null ? {} : { "Content-Type": type } },
  );
};

/** What people write has spaces; codes, names and addresses stay as they are, so that the request is a good one. */
const inFreeText = (value: string): string => (value.includes(" ") ? `${value} ${canary}` : value);

/** Operations that end no token. */
const samplesOfModels = sampleEvents.filter(({ operation }) => operation.path.startsWith("/tasks/"));

beforeAll(async () => {
  backend = await startFakeBackend();
  service = await startCanaryService({
    CHAT_BASE_URL: backend.baseUrl,
    TRANSCRIPTION_BASE_URL: backend.baseUrl,
    SPEECH_BASE_URL: backend.baseUrl,
    CHAT_TIMEOUT_MS: "2000",
  });
  await service.signUp();
});

afterAll(async () => {
  await service.stop();
  await backend.close();
});

const polling = { timeout: 10_000, interval: 100 };
const count = (message: string): number => service.lines().filter((line) => line.message === message).length;

describe("The log", { timeout: 120_000 }, () => {
  it("contains nothing of the texts, in any request and any failure", async () => {
    expect(await service.signIn(`wrong ${canary}`)).toBe(401);
    backend.behave(responding(200, completion(`${canary} says hello`)));
    expect((await translate()).status).toBe(200);
    expect((await chat(false)).status).toBe(200);
    await chat(true);
    await service.sendJson("/tasks/language_id", { text: `${canary} `.repeat(20) });
    await service.sendJson("/auth/forgot-password", { email: canaryAccount.email });

    for (const body of [
      canary,
      `{"text": "${canary}`,
      `{"${canary}": "${canary}"}`,
      `{"__proto__": "${canary}"}`,
    ]) {
      for (const path of ["/tasks/translate", "/tasks/chat/completions", "/auth/register"]) {
        await service.send(path, body, { headers: { "Content-Type": "application/json" } });
      }
    }
    await service.send("/tasks/audio/transcriptions", canary, {
      headers: { "Content-Type": `multipart/form-data; boundary=${canary}` },
    });
    await service.send(`/${canary}`, canary);
    await service.send("/tasks/translate", "{}", {
      headers: { Authorization: `Bearer ${canary}.${canary}.${canary}` },
    });

    const key = await service.makeKey({ scopes: ["chat"] });
    const keyDigest = createHash("sha256").update(key).digest("base64url");
    const withKey = (path: string, sent: string, body: unknown) =>
      service.send(path, JSON.stringify(body), {
        headers: { "Content-Type": "application/json", Authorization: `Bearer ${sent}` },
      });
    const conversation = { messages: [{ role: "user", content: canary }] };
    expect((await withKey("/tasks/chat/completions", key, conversation)).status).toBe(200);
    expect((await withKey("/tasks/summarise", key, { text: canary })).status).toBe(200);
    expect((await withKey("/tasks/translate", key, {})).status).toBe(403);
    expect((await withKey("/auth/keys", key, { name: canary })).status).toBe(403);
    expect((await withKey("/tasks/translate", `${key}x`, {})).status).toBe(401);
    await service.send(`/auth/keys/${key}`, undefined, { method: "DELETE" });
    await service.send(`/${key}`, key);
    expect(service.secrets).toContain(key.slice(4, 24));

    for (const fault of failingWithCanary) {
      backend.behave(fault);
      await translate();
      await chat(false);
      await chat(true);
    }
    expect(service.leaks([keyDigest])).toEqual([]);
  });

  it("has nothing of what is in any field of any operation, deprecated ones included", async () => {
    backend.behave(speakingOfCanary);
    for (const { text } of sampleEvents) {
      await service.signIn(canaryAccount.password);
      await sendSample(text, () => canary);
    }
    await service.signIn(canaryAccount.password);
    for (const { text } of samplesOfModels) await sendSample(text, inFreeText);
    for (const [index, fault] of failingWithCanary.entries()) {
      backend.behave(fault);
      const usual = samplesOfModels.filter(
        (_sample, position) => position % failingWithCanary.length === index,
      );
      for (const { text } of endurance(usual, samplesOfModels)) await sendSample(text, inFreeText);
    }
    const refused = () => {
      const successful = service.lines().filter(({ status }) => status === 200 || status === 201);
      const ids = successful.map(({ operation }) => operation);
      return samplesOfModels.map(({ operation }) => operation.id).filter((id) => !ids.includes(id));
    };
    // These need the result of an earlier request, and the webhook the platform's signature.
    const demanding = [
      "legacyDeleteTranscription",
      "legacyTranscribeUpload",
      "legacyVendorRefreshUrl",
      "refreshSpeechLink",
      ...["addTargets", "createJob", "getJob", "getJobResult", "deleteJob"],
      ...["signUploadParts", "getUpload", "completeUpload", "deleteUpload"],
    ];
    await expect
      .poll(() => refused().sort(), polling)
      .toEqual([...demanding, "receiveDelivery", "verifyWebhook"].sort());

    const declared = functionDefinitions.flatMap(({ operations }) => operations.map(({ id }) => id));
    const unseen = () => {
      const seen = service.lines().map(({ operation }) => operation);
      return declared.filter((id) => !seen.includes(id));
    };
    await expect.poll(unseen, polling).toEqual([]);
    expect(service.secrets.size).toBeGreaterThan(sampleEvents.length);
    expect(service.leaks()).toEqual([]);
  });

  it("has a line of each request, of those events that are described", async () => {
    await expect.poll(() => count("request.answered"), polling).toBeGreaterThan(150);
    expect(service.lines().filter(({ message }) => !(message in logEvents))).toEqual([]);
    expect(service.unknownFields()).toEqual(new Set());
  });
});
