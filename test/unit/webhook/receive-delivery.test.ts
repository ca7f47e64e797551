import { createHmac } from "node:crypto";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  receiveDeliveryOperation,
  type SignatureMode,
  webhookAnswer,
} from "../../../functions/webhook/contract.ts";
import { webhookEndpoints } from "../../../functions/webhook/endpoints.ts";
import type { InboundMessage } from "../../../shared/messaging/inbound-message.ts";
import type { PlatformSecretVersions } from "../../../shared/messaging/platform-secrets.ts";
import { writeReference } from "../../../shared/messaging/send-receipt.ts";
import { logger } from "../../../shared/telemetry/logger.ts";
import { send } from "../../support/send.ts";

const appSecret = "app-secret";

const versions = (current = appSecret, previous?: string): PlatformSecretVersions => ({
  current: { app_secret: current, verify_token: "verify", access_token: "access" },
  previous: previous === undefined ? {} : { app_secret: previous },
});

const setUp = (
  options: {
    readonly mode?: SignatureMode;
    readonly known?: PlatformSecretVersions;
    readonly newest?: PlatformSecretVersions;
  } = {},
) => {
  const queued: InboundMessage[] = [];
  const queue = {
    send: vi.fn(async (messages: readonly InboundMessage[]) => {
      queued.push(...messages);
    }),
  };
  const saveReceipt = vi.fn(async () => undefined);
  const known = options.known ?? versions();
  const secrets = { get: async () => known, reload: vi.fn(async () => options.newest ?? known) };
  const endpoints = webhookEndpoints({
    secrets,
    signatureMode: options.mode ?? "enforce",
    queue,
    saveReceipt,
  });
  const post = async (body: string | Buffer, headers: Record<string, string> = {}) =>
    send(endpoints, { path: "/tasks/webhook", body, headers });
  return { endpoints, queue, queued, saveReceipt, secrets, post };
};

const sign = (body: string | Buffer, secret = appSecret) => ({
  "X-Hub-Signature-256": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
});

const metadata = { display_phone_number: "256700000000", phone_number_id: "100000000000001" };

const delivery = (...values: object[]) =>
  JSON.stringify({
    object: "whatsapp_business_account",
    entry: [{ id: "1", changes: values.map((value) => ({ field: "messages", value })) }],
  });

const text = (body: string, id = "wamid.1", from = "256700000001") => ({
  from,
  id,
  timestamp: "1795168800",
  type: "text",
  text: { body },
});

const oneText = delivery({ metadata, messages: [text("Hello")] });

afterEach(() => vi.restoreAllMocks());

describe("a delivery of the messaging platform", () => {
  it("is queued and answered with its status, the time it took and no message", async () => {
    const { post, queued } = setUp();
    const answer = await post(oneText, sign(oneText));
    expect(answer).toMatchObject({ status: 200, body: { status: "success", message: null } });
    expect(webhookAnswer.parse(answer.body).processing_time).toBeGreaterThanOrEqual(0);
    expect(receiveDeliveryOperation.response.schema.safeParse(answer.body).success).toBe(true);
    expect(queued).toEqual([
      {
        id: "wamid.1",
        sender: "256700000001",
        phone: "256700000001",
        phoneNumberId: "100000000000001",
        content: { type: "text", text: "Hello" },
      },
    ]);
  });

  it("counts with all messages of all its entries and changes, in their order", async () => {
    const { post, queued } = setUp();
    const body = JSON.stringify({
      object: "whatsapp_business_account",
      entry: [
        {
          id: "1",
          changes: [
            { value: { metadata, messages: [text("one", "a"), text("two", "b")] } },
            { value: { metadata, messages: [text("three", "c")] } },
          ],
        },
        { id: "2", changes: [{ value: { metadata, messages: [text("four", "d")] } }] },
      ],
    });
    expect((await post(body, sign(body))).body.status).toBe("success");
    expect(queued.map(({ id }) => id)).toEqual(["a", "b", "c", "d"]);
  });

  it.each([
    ["no JSON", "hello", "ignored"],
    ["JSON that is no object", "[]", "ignored"],
    ["nothing at all", "", "ignored"],
    ["no entries", '{"object":"whatsapp_business_account"}', "ignored"],
    ["entries of nonsense", '{"object":"x","entry":[1,null,{"changes":"?"}]}', "ignored"],
    ["something else than messages", delivery({ event: "ACCOUNT_UPDATE" }), "ignored"],
    ["reports only", delivery({ metadata, statuses: [{ id: "wamid.9", status: "read" }] }), "ignored"],
    ["an empty list of messages", delivery({ metadata, messages: [] }), "no_messages"],
    [
      "a message from nobody",
      delivery({ metadata, messages: [{ ...text("x"), from: undefined }] }),
      "invalid_message_format",
    ],
    ["a message to no number of ours", delivery({ messages: [text("x")] }), "invalid_message_format"],
    [
      "an event of the platform's own",
      delivery({ metadata, messages: [{ from: "1", id: "w", type: "system" }] }),
      "ignored",
    ],
  ])("with %s is answered with 200, and nothing is queued", async (_what, body, status) => {
    const { post, queued } = setUp();
    expect(await post(body, sign(body))).toMatchObject({ status: 200, body: { status, message: null } });
    expect(queued).toEqual([]);
  });

  it("is not lost because one message in it makes no sense", async () => {
    const { post, queued } = setUp();
    const body = delivery({ metadata, messages: [null, { id: 7 }, text("kept", "k")] });
    expect((await post(body, sign(body))).body.status).toBe("success");
    expect(queued.map(({ id }) => id)).toEqual(["k"]);
  });

  it("that cannot be queued is refused, so that the platform delivers it again", async () => {
    const { post, queue } = setUp();
    queue.send.mockRejectedValue(new Error("SQS is not there."));
    const answer = await post(oneText, sign(oneText));
    expect(answer).toMatchObject({
      status: 503,
      body: { status: "error", error: { code: "service_unavailable" }, detail: expect.any(String) },
    });
    expect(answer.headers["Retry-After"]).toBe("10");
  });
});

describe("the signature", () => {
  it("is of the bytes as they came, whichever way API Gateway hands them on", async () => {
    const { post } = setUp();
    // Escapes and numbers that JSON.stringify would write in another way.
    const body = oneText.replace("Hello", "\\u0190wasuze 1.0 ŋŋ 😀").replace('"timestamp"', ' "timestamp"');
    expect((await post(body, sign(body))).body.status).toBe("success");
    expect((await post(Buffer.from(body), sign(body))).body.status).toBe("success");
    const rewritten = JSON.stringify(JSON.parse(body));
    expect((await post(rewritten, sign(body))).status).toBe(403);
  });

  it.each([
    ["missing", () => ({})],
    ["of another secret", () => sign(oneText, "other")],
    ["of another body", () => sign(`${oneText} `)],
    ["in capitals", () => ({ "X-Hub-Signature-256": sign(oneText)["X-Hub-Signature-256"].toUpperCase() })],
    ["too short", () => ({ "X-Hub-Signature-256": sign(oneText)["X-Hub-Signature-256"].slice(0, -2) })],
    ["without its prefix", () => ({ "X-Hub-Signature-256": sign(oneText)["X-Hub-Signature-256"].slice(7) })],
    ["the old kind", () => ({ "X-Hub-Signature": sign(oneText)["X-Hub-Signature-256"] })],
  ])("that is %s gets 403 in both vocabularies, and nothing is queued", async (_what, headers) => {
    const { post, queued } = setUp();
    expect(await post(oneText, headers())).toMatchObject({
      status: 403,
      body: {
        status: "rejected",
        processing_time: expect.any(Number),
        message: expect.any(String),
        detail: expect.any(String),
        error: { code: "invalid_signature" },
        request_id: expect.any(String),
      },
    });
    expect(queued).toEqual([]);
  });

  it("may be of the secret before, and of one that was replaced a moment ago", async () => {
    const before = setUp({ known: versions("new", appSecret) });
    expect((await before.post(oneText, sign(oneText))).status).toBe(200);
    const after = setUp({ known: versions("old"), newest: versions(appSecret, "old") });
    expect((await after.post(oneText, sign(oneText))).status).toBe(200);
    expect(after.secrets.reload).toHaveBeenCalledOnce();
  });

  it("is only logged, or not looked at, when the stage says so", async () => {
    for (const mode of ["log", "off"] as const) {
      const { post, queued } = setUp({ mode });
      expect((await post(oneText)).body.status).toBe("success");
      expect(queued).toHaveLength(1);
    }
  });

  it("cannot be checked without an app secret: deliveries are refused until there is one", async () => {
    const nothing = { current: {}, previous: {} };
    const { post, queued } = setUp({ known: nothing });
    expect(await post(oneText, sign(oneText, ""))).toMatchObject({ status: 503, body: { status: "error" } });
    expect(queued).toEqual([]);
    expect((await setUp({ known: nothing, mode: "log" }).post(oneText)).status).toBe(200);
  });

  it("never reaches a log, nor does what was signed", async () => {
    const lines: string[] = [];
    for (const level of ["info", "warn", "error"] as const) {
      vi.spyOn(logger, level).mockImplementation((...line: unknown[]) => {
        lines.push(JSON.stringify(line));
      });
    }
    const { post } = setUp();
    await post(oneText, sign(oneText, "other"));
    await post(oneText, sign(oneText));
    expect(lines.length).toBeGreaterThan(0);
    const written = lines.join();
    for (const secret of [
      appSecret,
      "Hello",
      "256700000001",
      sign(oneText, "other")["X-Hub-Signature-256"],
    ]) {
      expect(written).not.toContain(secret);
    }
  });
});

describe("what people send", () => {
  const contentOf = async (message: object) => {
    const { post, queued } = setUp();
    const body = delivery({ metadata, messages: [{ from: "256700000001", id: "w", ...message }] });
    await post(body, sign(body));
    return queued[0]?.content;
  };

  it.each([
    [
      "a voice note",
      { type: "audio", audio: { id: "77", mime_type: "audio/ogg; codecs=opus" } },
      { type: "voice", mediaId: "77" },
    ],
    [
      "a row of a list",
      {
        type: "interactive",
        interactive: { type: "list_reply", list_reply: { id: "mode_chat", title: "Chat" } },
      },
      { type: "choice", id: "mode_chat", title: "Chat" },
    ],
    [
      "a button",
      {
        type: "interactive",
        interactive: { type: "button_reply", button_reply: { id: "tts_on", title: "Voice on" } },
      },
      { type: "choice", id: "tts_on", title: "Voice on" },
    ],
    [
      "a reaction",
      { type: "reaction", reaction: { message_id: "wamid.a", emoji: "👍" } },
      { type: "reaction", messageId: "wamid.a", emoji: "👍" },
    ],
    [
      "a template's button",
      { type: "button", button: { text: "Yes", payload: "yes" } },
      { type: "text", text: "Yes" },
    ],
    ["a picture", { type: "image", image: { id: "1", caption: "Look" } }, { type: "unsupported" }],
    ["a sticker", { type: "sticker", sticker: { id: "1" } }, { type: "unsupported" }],
    ["a contact", { type: "contacts", contacts: [] }, { type: "unsupported" }],
    ["a place", { type: "location", location: {} }, { type: "unsupported" }],
    ["a reaction that is taken back", { type: "reaction", reaction: { message_id: "wamid.a" } }, undefined],
  ])("can be %s", async (_what, message, content) => {
    expect(await contentOf(message)).toEqual(content);
  });

  it("carries the name of the person who wrote, not that of another in the delivery", async () => {
    const { post, queued } = setUp();
    const contacts = [
      { profile: { name: "Kato" }, wa_id: "256700000002" },
      { profile: { name: "Amina" }, wa_id: "256700000001" },
    ];
    const body = delivery({ metadata, contacts, messages: [text("Hello")] });
    await post(body, sign(body));
    expect(queued[0]?.name).toBe("Amina");
  });

  it("belongs to the platform's user id where there is one; the phone number may be missing", async () => {
    const { post, queued } = setUp();
    const userId = "US.13491208655302741918";
    const body = delivery({
      metadata,
      messages: [
        { ...text("one", "a"), from_user_id: userId },
        { ...text("two", "b"), from: undefined, from_user_id: userId },
      ],
    });
    await post(body, sign(body));
    expect(queued).toMatchObject([
      { sender: userId, phone: "256700000001" },
      { sender: userId, content: { text: "two" } },
    ]);
    expect(queued[1]).not.toHaveProperty("phone");
  });

  it("has the same id in every delivery, also when the platform gives none", async () => {
    const { post, queued } = setUp();
    const body = delivery({ metadata, messages: [{ ...text("x"), id: undefined }] });
    await post(body, sign(body));
    await post(body, sign(body));
    expect(queued[0]?.id).toBe(queued[1]?.id);
    expect(queued[0]?.id).toMatch(/^unnamed-/);
  });
});

describe("a report about an answer", () => {
  const answer = { sender: "256700000001", messageId: "wamid.1", index: 0 };
  const status = (members: object) =>
    delivery({
      metadata,
      statuses: [{ id: "wamid.out", biz_opaque_callback_data: writeReference(answer), ...members }],
    });

  it.each([
    [{ status: "sent" }, { id: "wamid.out" }],
    [
      { status: "failed", errors: [{ code: 131_047, title: "Re-engagement message" }] },
      { id: "wamid.out", refusal: 131_047 },
    ],
    [{ status: "failed" }, { id: "wamid.out", refusal: 0 }],
  ])("of %j is noted with the message that was answered", async (members, receipt) => {
    const { post, saveReceipt } = setUp();
    const body = status(members);
    expect((await post(body, sign(body))).body.status).toBe("ignored");
    expect(saveReceipt).toHaveBeenCalledExactlyOnceWith(answer, receipt);
  });

  it.each([
    ["was delivered or read", { status: "delivered" }],
    ["is not of ours", { status: "sent", biz_opaque_callback_data: "campaign-7" }],
    ["carries no reference", { status: "sent", biz_opaque_callback_data: undefined }],
  ])("that %s costs nothing", async (_what, members) => {
    const { post, saveReceipt } = setUp();
    const body = status(members);
    expect((await post(body, sign(body))).status).toBe(200);
    expect(saveReceipt).not.toHaveBeenCalled();
  });

  it("that cannot be noted does not make the platform deliver again", async () => {
    const { post, saveReceipt } = setUp();
    saveReceipt.mockRejectedValue(new Error("DynamoDB is not there."));
    const body = status({ status: "sent" });
    expect((await post(body, sign(body))).status).toBe(200);
  });
});
