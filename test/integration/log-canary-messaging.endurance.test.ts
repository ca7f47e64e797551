import { createHmac } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deliveryOf } from "../../infra/local/messaging/deliveries.ts";
import { logEvents } from "../../shared/platform/telemetry/log-events.ts";
import {
  type CanaryService,
  canary,
  canaryAccount,
  failingWithCanary,
  type LogLine,
  linkSecretsIn,
  speakingOfCanary,
  startCanaryService,
} from "../support/canary.ts";
import { endurance } from "../support/endurance.ts";
import {
  type Behaviour,
  type FakeBackend,
  resetting,
  responding,
  startFakeBackend,
} from "../support/fake-backend.ts";
import { audioBytes, wavFile } from "../support/wav.ts";

let model: FakeBackend;
let platform: FakeBackend;
let ses: FakeBackend;
let service: CanaryService;

/** The platform as it should be: takes every message, and has a recording whose file says the canary. */
const taking: Behaviour = (response, request) => {
  const { url = "", method } = request;
  if (url.startsWith("/files/")) {
    response.writeHead(200, { "Content-Type": "audio/wav" });
    response.end(wavFile(audioBytes(48_000), { comment: canary, stated: true }));
  } else if (url.endsWith("/messages")) {
    responding(200, { messages: [{ id: `wamid.${canary}.answer` }] })(response, request);
  } else if (method === "GET") {
    responding(200, { url: `${new URL(platform.baseUrl).origin}/files/${canary}` })(response, request);
  } else {
    responding(200, { id: `media-${canary}` })(response, request);
  }
};

/** The ways in which the platform does not take a message, and says the canary. */
const refusing: readonly Behaviour[] = [
  responding(400, { error: { code: 100, message: canary } }),
  responding(401, { error: { code: 190, message: canary } }),
  responding(500, `<html>${canary}</html>`),
  resetting,
];

let people = 0;

/** A message of a new person, whose name and numbers are the canary's. */
const messageOf = (content: object): object => {
  people += 1;
  const from = `${canary}.${people}`;
  return {
    messages: [{ from, id: `wamid.${canary}.${people}`, timestamp: "1", ...content }],
    contacts: [{ wa_id: from, profile: { name: `${canary} Nakato` } }],
  };
};

const deliver = (value: object, headers: Record<string, string> = {}, appSecret = `${canary}-app-secret`) => {
  const body = JSON.stringify(deliveryOf(value, `${canary}1`));
  const signature = createHmac("sha256", appSecret).update(body).digest("hex");
  return service.send("/tasks/webhook", body, {
    headers: { "Content-Type": "application/json", "X-Hub-Signature-256": `sha256=${signature}`, ...headers },
  });
};

const text = (body: string): object => ({ type: "text", text: { body } });
const linesOf = (message: string): LogLine[] =>
  service.lines().filter((line) => line.message === message && line.operation !== undefined);

const polling = { timeout: 40_000, interval: 100 };

/** Waits until this many more attempts at records have ended. */
const whenEnded = async (attempts: number): Promise<void> => {
  await expect.poll(() => linesOf("record.finished").length, polling).toBeGreaterThanOrEqual(attempts);
};

beforeAll(async () => {
  [model, platform, ses] = await Promise.all([startFakeBackend(), startFakeBackend(), startFakeBackend()]);
  model.behave(speakingOfCanary);
  platform.behave(taking);
  ses.behave(responding(200, { MessageId: canary }));
  service = await startCanaryService({
    CHAT_BASE_URL: model.baseUrl,
    TRANSCRIPTION_BASE_URL: model.baseUrl,
    SPEECH_BASE_URL: model.baseUrl,
    CHAT_TIMEOUT_MS: "2000",
    MESSAGING_API_URL: new URL(platform.baseUrl).origin,
    AWS_ENDPOINT_URL_SES: new URL(ses.baseUrl).origin,
  });
});

afterAll(async () => {
  await service.stop();
  await Promise.all([model.close(), platform.close(), ses.close()]);
});

describe("The log of messages and mails", { timeout: 120_000 }, () => {
  it("leads from the webhook's request to the model and back to the platform, by its id and its trace", async () => {
    const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
    const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;
    await deliver(messageOf(text("What is the answer?")), { traceparent, "X-Request-Id": "the-delivery" });
    await whenEnded(1);
    const ofRequest = service.lines().filter((line) => line["request_id"] === "the-delivery");
    const spans = ofRequest.filter(({ span_id }) => span_id !== undefined);
    const [requestSpan, recordSpan] = spans.map(({ span_id }) => span_id);
    expect(spans).toMatchObject([{ parent_span_id: "00f067aa0ba902b7" }, { parent_span_id: requestSpan }]);
    expect(ofRequest).toMatchObject([
      { message: "request.answered", operation: "receiveDelivery", status: 200, trace_id: traceId },
      { message: "record.started", operation: "answerMessage", trace_id: traceId, tries: 1 },
      {
        message: "record.finished",
        operation: "answerMessage",
        tries: 1,
        cold_start: true,
        milliseconds: expect.any(Number),
        upstream_milliseconds: expect.any(Number),
        chat_milliseconds: expect.any(Number),
        platform_milliseconds: expect.arrayContaining([expect.any(Number)]),
        server_error: 0,
      },
    ]);
    const requested = model.received.filter(({ path }) => path.endsWith("/chat/completions"));
    const sent = `00-${traceId}-${recordSpan}-01`;
    expect(requested.map(({ headers }) => headers["traceparent"])).toEqual([sent]);
    expect(platform.received.length).toBeGreaterThan(1);
    expect(new Set(platform.received.map(({ headers }) => headers["traceparent"]))).toEqual(new Set([sent]));
  });

  it("contains nothing that a person sends, in any kind of message", async () => {
    const before = linesOf("record.finished").length;
    const contents = [
      text(`${canary} was here`),
      text(`translate ${canary}`),
      text(`set language ${canary}`),
      { type: "audio", audio: { id: canary, mime_type: "audio/wav" } },
      { type: "reaction", reaction: { message_id: `wamid.${canary}`, emoji: canary } },
      {
        type: "interactive",
        interactive: { list_reply: { id: canary, title: canary, description: canary } },
      },
      { type: "button", button: { text: canary, payload: canary } },
      { type: "image", image: { id: canary, caption: canary } },
      { type: canary, [canary]: canary },
    ];
    for (const content of contents) await deliver(messageOf(content));
    await whenEnded(before + contents.length);
    expect(linesOf("record.finished").filter((line) => line["server_error"] === 1)).toEqual([]);
    expect(service.leaks()).toEqual([]);
  });

  it("has nothing of deliveries that are refused, or of the webhook's words", async () => {
    await deliver(messageOf(text(canary)), {}, "another secret");
    await deliver({ statuses: [{ id: canary, status: canary, errors: [{ code: 1, title: canary }] }] });
    await deliver({ messages: canary, contacts: canary });
    await service.send("/tasks/webhook", canary, { headers: { "Content-Type": "application/json" } });
    const words = new URLSearchParams({
      "hub.mode": "subscribe",
      "hub.challenge": canary,
      "hub.verify_token": `${canary}-verify-token`,
    });
    expect(await service.send(`/tasks/webhook?${words}`, undefined, { method: "GET" })).toMatchObject({
      status: 200,
      text: canary,
    });
    words.set("hub.verify_token", canary);
    await service.send(`/tasks/webhook?${words}`, undefined, { method: "GET" });
    expect(service.leaks()).toEqual([]);
  });

  it("has nothing of what models and the platform say when they fail", async () => {
    for (const fault of endurance(failingWithCanary.slice(1, 3), failingWithCanary)) {
      const before = linesOf("record.finished").length;
      model.behave(fault);
      await deliver(messageOf(text(`${canary} was here`)));
      await deliver(messageOf({ type: "audio", audio: { id: canary } }));
      // A recording is tried twice, with a pause between.
      await whenEnded(before + 2);
    }
    model.behave(speakingOfCanary);
    for (const refusal of refusing) {
      const before = linesOf("record.finished").length;
      platform.behave(refusal);
      await deliver(messageOf(text(`${canary} was here`)));
      await whenEnded(before + 1);
    }
    platform.behave(taking);
    expect(linesOf("record.finished").some((line) => Number(line["platform_failures"]) > 0)).toBe(true);
    await expect
      .poll(() => service.lines().map(({ message }) => message), polling)
      .toEqual(
        expect.arrayContaining([
          "model.failed",
          "answer.not_accepted",
          "answer.not_sent",
          "message.not_answered",
        ]),
      );
    expect(service.leaks()).toEqual([]);
  });

  it("has no address and no link of a mail, whether it is sent or not", async () => {
    await service.signUp();
    const ofMails = () => linesOf("record.finished").filter(({ operation }) => operation === "sendMail");
    await expect.poll(ofMails, polling).toMatchObject([{ server_error: 0 }]);
    expect(ses.received.length).toBe(1);
    const links = linkSecretsIn(ses.received);
    // Forgets what it received.
    ses.behave(
      responding(400, { __type: "MessageRejected", message: `${canaryAccount.email} is ${canary}` }),
    );
    await service.sendJson("/auth/forgot-password", { email: canaryAccount.email });
    await expect.poll(() => ofMails().length, polling).toBeGreaterThan(1);
    expect(ofMails()[1]).toMatchObject({ server_error: 1 });
    expect(service.lines().some(({ message }) => message === "mail.failed")).toBe(true);
    links.push(...linkSecretsIn(ses.received));
    expect(new Set(links).size).toBeGreaterThanOrEqual(2);
    expect(service.leaks(links)).toEqual([]);
  });

  it("has a first line for each last one, of those events that are described", () => {
    expect(linesOf("record.started").length).toBeGreaterThanOrEqual(linesOf("record.finished").length);
    expect(service.lines().filter(({ message }) => !(message in logEvents))).toEqual([]);
    expect(service.unknownFields()).toEqual(new Set());
  });
});
