import { createHash, createHmac } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  receiveDeliveryOperation,
  type SignatureMode,
  webhookResponse,
} from "../../../functions/webhook/contract.ts";
import { webhookEndpoints } from "../../../functions/webhook/endpoints.ts";
import { receiveDelivery } from "../../../functions/webhook/receive-delivery.ts";
import { createReadingLimit } from "../../../shared/accounts/limits/reading-limit.ts";
import type { InboundMessage } from "../../../shared/messaging/inbound-message.ts";
import type { PlatformSecretVersions } from "../../../shared/messaging/platform-secrets.ts";
import { type SendReceipt, type SentReply, writeReference } from "../../../shared/messaging/send-receipt.ts";
import { logger } from "../../../shared/platform/telemetry/logger.ts";
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
  const saveReceipt = vi.fn(async (_reply: SentReply, _receipt: SendReceipt) => undefined);
  const known = options.known ?? versions();
  const secrets = {
    get: vi.fn(async () => known),
    reload: vi.fn(async () => options.newest ?? known),
  };
  const dependencies = {
    secrets,
    signatureMode: options.mode ?? ("enforce" as const),
    queue,
    saveReceipt,
    unsigned: createReadingLimit(),
  };
  const endpoints = webhookEndpoints(dependencies);
  const post = async (body: string | Buffer, headers: Record<string, string> = {}) =>
    send(endpoints, { path: "/tasks/webhook", body, headers });
  return { endpoints, dependencies, queue, queued, saveReceipt, secrets, post };
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

beforeEach(() => {
  vi.spyOn(logger, "warn").mockReturnValue();
  vi.spyOn(logger, "error").mockReturnValue();
});
afterEach(() => vi.restoreAllMocks());

describe("a delivery of the messaging platform", () => {
  it("is queued and returns its status, the time it took and no message", async () => {
    const { post, queued } = setUp();
    const reply = await post(oneText, sign(oneText));
    expect(reply).toMatchObject({ status: 200, body: { status: "success", message: null } });
    expect(webhookResponse.parse(reply.body).processing_time).toBeGreaterThanOrEqual(0);
    expect(receiveDeliveryOperation.response.schema.safeParse(reply.body).success).toBe(true);
    expect(queued).toEqual([
      {
        id: "wamid.1",
        sender: "256700000001",
        phone: "256700000001",
        phoneNumberId: "100000000000001",
        sentAt: 1_795_168_800,
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
      "a message without a sender",
      delivery({ metadata, messages: [{ ...text("x"), from: undefined }] }),
      "invalid_message_format",
    ],
    ["a message to another's number", delivery({ messages: [text("x")] }), "invalid_message_format"],
    [
      "an event of the platform's own",
      delivery({ metadata, messages: [{ from: "1", id: "w", type: "system" }] }),
      "ignored",
    ],
  ])("with %s returns 200, and queues nothing", async (_what, body, status) => {
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

  it("says in seconds how long it took", async () => {
    const now = vi.spyOn(performance, "now").mockReturnValueOnce(1_000).mockReturnValue(3_456.7);
    const { dependencies } = setUp();
    const received = {
      body: Buffer.from("{}"),
      signature: sign("{}")["X-Hub-Signature-256"],
      requestId: "r",
      sourceAddress: "203.0.113.7",
    };
    expect(await receiveDelivery(received, dependencies)).toEqual({
      status: "ignored",
      processing_time: 2.457,
      message: null,
    });
    expect(now).toHaveBeenCalledTimes(2);
  });

  it.each([
    ["is no UTF-8", Buffer.from([0x7b, 0x7d, 0xff])],
    ["is no UTF-8 within a text", Buffer.concat([Buffer.from(oneText.slice(0, -20)), Buffer.from([0xc3])])],
  ])("that %s is ignored", async (_what, body) => {
    const { post, queued } = setUp();
    expect((await post(body, sign(body))).body.status).toBe("ignored");
    expect(queued).toEqual([]);
  });

  it("that cannot be queued is refused, so that the platform delivers it again", async () => {
    const { post, queue } = setUp();
    queue.send.mockRejectedValue(new Error("SQS is not there."));
    const reply = await post(oneText, sign(oneText));
    const words = "The delivery could not be queued; deliver it again.";
    expect(reply.status).toBe(503);
    expect(reply.body).toEqual({
      status: "error",
      processing_time: expect.any(Number),
      message: words,
      detail: words,
      error: { code: "service_unavailable", message: words, type: "server_error", param: null },
      request_id: expect.any(String),
    });
    expect(reply.headers["Retry-After"]).toBe("10");
    expect(reply.headers["Content-Type"]).toMatch(/^application\/json/);
    expect(logger.error).toHaveBeenCalledWith("delivery.failed", {
      request_id: reply.body.request_id,
      reason: expect.objectContaining({ name: "Error", message: "SQS is not there." }),
    });
  });
});

describe("the signature", () => {
  it.each([
    ["missing", () => ({})],
    ["of another secret", () => sign(oneText, "other")],
  ])("that is %s gets 403 in both vocabularies, and nothing is queued", async (_what, headers) => {
    const { post, queued } = setUp();
    const reply = await post(oneText, headers());
    const words = "The signature of the delivery is missing or wrong.";
    expect(reply.status).toBe(403);
    expect(reply.body).toEqual({
      status: "rejected",
      processing_time: expect.any(Number),
      message: words,
      detail: words,
      error: { code: "invalid_signature", message: words, type: "permission_error", param: null },
      request_id: expect.any(String),
    });
    expect(reply.headers).not.toHaveProperty("Retry-After");
    expect(queued).toEqual([]);
    expect(logger.warn).toHaveBeenCalledExactlyOnceWith("delivery.not_signed", {
      request_id: reply.body.request_id,
      finding: "bad",
      mode: "enforce",
    });
    expect(logger.error).not.toHaveBeenCalled();
  });

  it("is looked for before the secrets are read, and compared with the newest before it is refused", async () => {
    const missing = setUp();
    expect((await missing.post(oneText)).status).toBe(403);
    expect(missing.secrets.get).not.toHaveBeenCalled();
    expect(missing.secrets.reload).not.toHaveBeenCalled();
    const wrong = setUp();
    expect((await wrong.post(oneText, sign(oneText, "other"))).status).toBe(403);
    expect(wrong.secrets.reload).toHaveBeenCalledOnce();
    const right = setUp();
    expect((await right.post(oneText, sign(oneText))).status).toBe(200);
    expect(right.secrets.reload).not.toHaveBeenCalled();
  });

  it("is wrong at most 600 times a minute from one address, and no delivery with a right one is lost", async () => {
    vi.spyOn(logger, "warn").mockReturnValue();
    const { dependencies, queued } = setUp();
    const body = delivery({ metadata, messages: [{ id: "1", from: "256700000001", text: { body: "Hi" } }] });
    const deliver = async (signature: string) => {
      const received = { body: Buffer.from(body), signature, requestId: "r", sourceAddress: "203.0.113.7" };
      const result = await receiveDelivery(received, dependencies);
      return "status" in result ? result.status : undefined;
    };
    for (let sent = 0; sent < 600; sent += 1) expect(await deliver("sha256=wrong")).toBe(403);
    expect(await deliver("sha256=wrong")).toBe(429);
    const { "X-Hub-Signature-256": right } = sign(body);
    for (let sent = 0; sent < 1_000; sent += 1) expect(await deliver(right)).toBe("success");
    expect(queued).toHaveLength(1_000);
  });

  it("with an empty secret is never valid, for any app secret", async () => {
    const signed = sign(oneText, "");
    const empty = setUp({ known: versions("") });
    expect((await empty.post(oneText, signed)).status).toBe(503);
    const emptyBefore = setUp({ known: versions(appSecret, "") });
    expect((await emptyBefore.post(oneText, signed)).status).toBe(403);
    const filledIn = setUp({ known: versions(""), newest: versions(appSecret, "") });
    expect((await filledIn.post(oneText, signed)).status).toBe(403);
    expect([...empty.queued, ...emptyBefore.queued, ...filledIn.queued]).toEqual([]);
  });

  it("may be of the secret before, and of one that was replaced a moment ago", async () => {
    const before = setUp({ known: versions("new", appSecret) });
    expect((await before.post(oneText, sign(oneText))).status).toBe(200);
    const after = setUp({ known: versions("old"), newest: versions(appSecret, "old") });
    expect((await after.post(oneText, sign(oneText))).status).toBe(200);
    expect(after.secrets.reload).toHaveBeenCalledOnce();
  });

  it("is only logged, or not checked, when the stage says so", async () => {
    for (const mode of ["log", "off"] as const) {
      vi.mocked(logger.warn).mockClear();
      const { post, queued, secrets } = setUp({ mode });
      expect((await post(oneText, sign(oneText, "other"))).body.status).toBe("success");
      expect(queued).toHaveLength(1);
      expect(secrets.get).toHaveBeenCalledTimes(mode === "log" ? 1 : 0);
      expect(vi.mocked(logger.warn).mock.calls).toEqual(
        mode === "log"
          ? [["delivery.not_signed", { request_id: expect.any(String), finding: "bad", mode: "log" }]]
          : [],
      );
    }
  });

  it("cannot be checked without an app secret: deliveries are refused until there is one", async () => {
    const nothing = { current: {}, previous: {} };
    const { post, queued } = setUp({ known: nothing });
    const reply = await post(oneText, sign(oneText, ""));
    expect(reply).toMatchObject({
      status: 503,
      body: {
        status: "error",
        message: "The app secret of the messaging platform has not been configured.",
        error: { code: "service_unavailable" },
      },
    });
    expect(reply.headers["Retry-After"]).toBe("60");
    expect(logger.warn).toHaveBeenCalledExactlyOnceWith("delivery.not_signed", {
      request_id: expect.any(String),
      finding: "no-secret",
      mode: "enforce",
    });
    expect(queued).toEqual([]);
    expect((await setUp({ known: nothing, mode: "log" }).post(oneText)).status).toBe(200);
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
      "a row of a list with nothing in it",
      { type: "interactive", interactive: { list_reply: {} } },
      { type: "choice", id: "", title: "" },
    ],
    ["a form", { type: "interactive", interactive: { nfm_reply: {} } }, undefined],
    ["a permission to call", { type: "interactive", interactive: { call_permission_reply: {} } }, undefined],
    ["a text in another form than expected", { type: "text", text: "Hello" }, { type: "unsupported" }],
    ["a recording with an odd id", { type: "audio", audio: { id: "a/b" } }, { type: "unsupported" }],
    [
      "a recording with the longest id",
      { type: "audio", audio: { id: "a".repeat(128) } },
      { type: "voice", mediaId: "a".repeat(128) },
    ],
    ["a recording with an id too long", { audio: { id: "a".repeat(129) } }, { type: "unsupported" }],
    ["something without a type", {}, { type: "unsupported" }],
    ["an empty text", { type: "text", text: { body: "" } }, { type: "text", text: "" }],
    ["a welcome that the platform requests", { type: "request_welcome" }, undefined],
    ["news of the platform's own", { type: "system", system: { body: "A changed number" } }, undefined],
    [
      "a template's button",
      { type: "button", button: { text: "Yes", payload: "yes" } },
      { type: "text", text: "Yes" },
    ],
    [
      "an edited text",
      {
        type: "edit",
        edit: {
          original_message_id: "wamid.a",
          message: { context: { id: "M0" }, type: "text", text: { body: "The new text" } },
        },
      },
      { type: "text", text: "The new text" },
    ],
    [
      "an edited caption",
      {
        type: "edit",
        edit: { original_message_id: "wamid.a", message: { type: "image", image: { caption: "New" } } },
      },
      undefined,
    ],
    [
      "a message that is taken back",
      { type: "revoke", revoke: { original_message_id: "wamid.a" } },
      undefined,
    ],
    ["a picture", { type: "image", image: { id: "1" } }, { type: "unsupported" }],
    [
      "a picture with words",
      { type: "image", image: { id: "1", caption: "Look" } },
      { type: "text", text: "Look" },
    ],
    [
      "a film with words",
      { type: "video", video: { id: "1", caption: "Look" } },
      { type: "text", text: "Look" },
    ],
    [
      "a document with words",
      { document: { id: "1", mime_type: "application/pdf", caption: "Look" } },
      { type: "text", text: "Look" },
    ],
    ["a document", { document: { id: "1", mime_type: "application/pdf" } }, { type: "unsupported" }],
    [
      "a recording as a document",
      { document: { id: "1", mime_type: "audio/mpeg", caption: "Hi" } },
      { type: "voice", mediaId: "1" },
    ],
    [
      "a recording known by its name",
      { document: { id: "1", mime_type: "application/octet-stream", filename: "a.AMR" } },
      { type: "voice", mediaId: "1" },
    ],
    ["a sticker", { type: "sticker", sticker: { id: "1" } }, { type: "unsupported" }],
    ["a contact", { type: "contacts", contacts: [] }, { type: "unsupported" }],
    ["a location", { type: "location", location: {} }, { type: "unsupported" }],
    ["a reaction that is taken back", { type: "reaction", reaction: { message_id: "wamid.a" } }, undefined],
    ["a reaction without an emoji", { reaction: { message_id: "wamid.a", emoji: "" } }, undefined],
  ])("can be %s", async (_what, message, content) => {
    expect(await contentOf(message)).toEqual(content);
  });

  it.each([
    ["of their own", [{ profile: { name: "  Amina " }, wa_id: "256700000001" }], "Amina"],
    [
      "of another person, though it is the only one",
      [{ profile: { name: "Kato" }, wa_id: "other" }],
      undefined,
    ],
    [
      "by their user id",
      [{ profile: { name: "Kato" } }, { profile: { name: "Amina" }, user_id: "UG.1" }],
      "Amina",
    ],
    ["that is empty", [{ profile: { name: " " }, wa_id: "256700000001" }], undefined],
    ["without a sender", [], undefined],
    ["without a profile", [{ wa_id: "256700000001" }], undefined],
    ["with a profile in another form", [{ wa_id: "256700000001", profile: "Amina" }], undefined],
    ["with a name in another form", [{ wa_id: "256700000001", profile: { name: 7 } }], undefined],
    ["in no list", "Amina", undefined],
  ])("carries the name of the contact %s", async (_what, contacts, name) => {
    const { post, queued } = setUp();
    const body = delivery({ metadata, contacts, messages: [{ ...text("Hello"), from_user_id: "UG.1" }] });
    await post(body, sign(body));
    expect(queued).toHaveLength(1);
    expect(queued[0]?.name).toBe(name);
    expect(Object.hasOwn(queued[0] ?? {}, "name")).toBe(name !== undefined);
  });

  it.each<[string, object, readonly object[], object]>([
    [
      "a phone number",
      { from: "256700000001" },
      [{ wa_id: "256700000001" }],
      { sender: "256700000001", phone: "256700000001" },
    ],
    ["a user id as sender", { from: "UG.1" }, [{ wa_id: "UG.1", user_id: "UG.1" }], { sender: "UG.1" }],
    ["both", { from: "256700000001", from_user_id: "UG.1" }, [], { sender: "UG.1", phone: "256700000001" }],
    [
      "the user id of its contact",
      { from: "256700000001" },
      [{ wa_id: "256700000001", user_id: "UG.1" }],
      { sender: "UG.1", phone: "256700000001" },
    ],
    ["nothing but its contact", { from: undefined }, [{ user_id: "UG.1" }], { sender: "UG.1" }],
    ["an empty sender and its contact", { from: "" }, [{ user_id: "UG.1", wa_id: "" }], { sender: "UG.1" }],
    [
      "nothing but its contact's number",
      { from: null },
      [{ wa_id: "256700000001" }],
      { sender: "256700000001", phone: "256700000001" },
    ],
  ])("has a sender by %s", async (_, members, contacts, sender) => {
    const { post, queued } = setUp();
    const body = delivery({ metadata, contacts, messages: [{ ...text("Hello"), ...members }] });
    await post(body, sign(body));
    expect(queued).toEqual([
      {
        phoneNumberId: "100000000000001",
        id: queued[0]?.id,
        content: { type: "text", text: "Hello" },
        ...(queued[0]?.sentAt === undefined ? {} : { sentAt: queued[0].sentAt }),
        ...sender,
      },
    ]);
  });

  it.each([
    [
      "user id",
      { from_user_id: "UG.1", system: { type: "user_changed_user_id", user_id: "UG.2" } },
      "UG.2",
      ["UG.1"],
    ],
    [
      "number",
      { from: "256700000001", system: { type: "user_changed_number", wa_id: "256700000002" } },
      "256700000002",
      ["256700000001"],
    ],
  ])("says that they have another %s", async (_, message, sender, names) => {
    const { post, queued } = setUp();
    const body = delivery({ metadata, messages: [{ id: "w", type: "system", ...message }] });
    await post(body, sign(body));
    expect(queued).toEqual([
      { id: "w", phoneNumberId: "100000000000001", sender, content: { type: "identity", names } },
    ]);
  });

  it("may be an update of a user id", async () => {
    const { post, queued } = setUp();
    const update = { wa_id: "256700000001", user_id: { previous: "UG.1", current: "UG.2" } };
    const body = delivery({ metadata, user_id_update: [update] });
    await post(body, sign(body));
    expect(queued).toMatchObject([
      { sender: "UG.2", content: { type: "identity", names: ["UG.1", "256700000001"] } },
    ]);
  });

  it("gets no reply in a group, and the log says so", async () => {
    vi.spyOn(logger, "info").mockReturnValue();
    const { post, queued } = setUp();
    const body = delivery({
      metadata,
      messages: [
        { ...text("Hello"), group_id: "g" },
        { ...text("Hi"), group_id: "g" },
      ],
    });
    expect((await post(body, sign(body))).body.status).toBe("ignored");
    expect(queued).toEqual([]);
    expect(logger.info).toHaveBeenCalledWith("delivery.in_group", {
      request_id: expect.any(String),
      count: 2,
    });
  });

  it("carries no name of a contact when neither has an id to compare", async () => {
    const { post, queued } = setUp();
    const contacts = [{ profile: { name: "First" } }, { profile: { name: "Second" } }];
    const body = delivery({ metadata, contacts, messages: [text("Hello")] });
    await post(body, sign(body));
    expect(queued[0]).not.toHaveProperty("name");
  });

  it.each([
    ["a sender", { from: "a".repeat(128) }, true],
    ["a sender that is too long", { from: "a".repeat(129) }, false],
    ["a sender that is empty", { from: "" }, false],
    ["a sender of another form", { from: "2567 00" }, false],
    ["a user id that is too long", { from: undefined, from_user_id: "a".repeat(129) }, false],
    ["the longest user id", { from: undefined, from_user_id: "a".repeat(128) }, true],
    ["an id", { id: "w".repeat(256) }, true],
    ["an id that is too long", { id: "w".repeat(257) }, false],
    ["an id that is empty", { id: "" }, false],
  ])("is known by %s: %j", async (_what, members, isTaken) => {
    const { post, queued } = setUp();
    const body = delivery({ metadata, messages: [{ ...text("Hello"), ...members }] });
    expect((await post(body, sign(body))).body.status).toBe(isTaken ? "success" : "invalid_message_format");
    expect(queued).toHaveLength(isTaken ? 1 : 0);
  });

  it.each([
    [{ from: "256700000000", id: "wamid.reply" }, "wamid.reply"],
    [{ forwarded: true }, undefined],
    [{ id: 7 }, undefined],
    [undefined, undefined],
  ])("carries which message it quotes: %j", async (context, quoting) => {
    const { post, queued } = setUp();
    const body = delivery({ metadata, messages: [{ ...text("Wrong"), context }] });
    await post(body, sign(body));
    expect(queued).toHaveLength(1);
    expect(queued[0]?.quoting).toBe(quoting);
  });

  it.each([
    ["1795168800", 1_795_168_800],
    [1_795_168_800, undefined],
    ["yesterday", undefined],
    [undefined, undefined],
  ])("carries when it was sent, where the platform says so: %j", async (timestamp, sentAt) => {
    const { post, queued } = setUp();
    const body = delivery({ metadata, messages: [{ ...text("Hello"), timestamp }] });
    await post(body, sign(body));
    expect(queued[0]?.sentAt).toBe(sentAt);
  });

  it.each([
    ["1".repeat(64), true],
    ["1".repeat(65), false],
    ["", false],
    ["1/2", false],
  ])("addressed to our number with the id %j: %s", async (id, isTaken) => {
    const { post, queued } = setUp();
    const body = delivery({ metadata: { phone_number_id: id }, messages: [text("Hello")] });
    await post(body, sign(body));
    expect(queued).toHaveLength(isTaken ? 1 : 0);
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

  it("has the same id in every delivery, also when the platform sends none", async () => {
    const { post, queued } = setUp();
    const body = delivery({ metadata, messages: [{ ...text("x"), id: undefined }] });
    await post(body, sign(body));
    await post(body, sign(body));
    const written = JSON.stringify({ ...text("x"), id: undefined });
    const id = `unnamed-${createHash("sha256").update(written).digest("hex")}`;
    expect(queued.map((message) => message.id)).toEqual([id, id]);
  });
});

describe("a report about a reply", () => {
  const reply = { sender: "256700000001", messageId: "wamid.1", index: 0 };
  const status = (members: object) =>
    delivery({
      metadata,
      statuses: [{ id: "wamid.out", biz_opaque_callback_data: writeReference(reply), ...members }],
    });

  it.each([
    [{ status: "sent" }, { id: "wamid.out" }],
    [
      { status: "failed", errors: [{ code: 131_047, title: "Re-engagement message" }] },
      { id: "wamid.out", refusal: 131_047 },
    ],
    [{ status: "failed" }, { id: "wamid.out", refusal: 0 }],
    [
      { status: "failed", errors: [{ code: "?" }] },
      { id: "wamid.out", refusal: 0 },
    ],
  ])("of %j is noted with the message that got the reply", async (members, receipt) => {
    const { post, saveReceipt } = setUp();
    const body = status(members);
    expect((await post(body, sign(body))).body.status).toBe("ignored");
    expect(saveReceipt).toHaveBeenCalledExactlyOnceWith(reply, receipt);
    expect(logger.warn).not.toHaveBeenCalled();
  });

  it.each([
    ["was delivered or read", { status: "delivered" }],
    ["is another's", { status: "sent", biz_opaque_callback_data: "campaign-7" }],
    ["carries no reference", { status: "sent", biz_opaque_callback_data: undefined }],
    ["has no id", { status: "sent", id: undefined }],
    ["has no status", { status: undefined }],
    ["names a reply with a number below 0", { status: "sent", biz_opaque_callback_data: '["a","b",-1]' }],
    ["names no person", { status: "sent", biz_opaque_callback_data: '["","b",0]' }],
    ["names no message", { status: "sent", biz_opaque_callback_data: '["a","",0]' }],
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
    expect(logger.warn).toHaveBeenCalledExactlyOnceWith("receipt.not_saved", { count: 1 });
  });

  it.each([
    ["with an empty list of messages", { messages: [], statuses: [] }, "ignored"],
    ["with a list of messages in another form", { messages: "?", statuses: [] }, "ignored"],
    ["with a message that makes no sense", { messages: [{}], statuses: [] }, "invalid_message_format"],
  ])("that comes %s is the subject of the reply", async (_what, members, expected) => {
    const { post, queued } = setUp();
    const body = delivery({ metadata, ...members });
    expect((await post(body, sign(body))).body.status).toBe(expected);
    expect(queued).toEqual([]);
  });

  it("that comes with messages is noted with them", async () => {
    const { post, saveReceipt, queued } = setUp();
    const statuses = [
      { id: "wamid.out", status: "sent", biz_opaque_callback_data: writeReference(reply) },
      { id: "wamid.b", status: "sent", biz_opaque_callback_data: writeReference({ ...reply, index: 1 }) },
    ];
    const body = delivery({ metadata, statuses, messages: [text("Hello")] });
    expect((await post(body, sign(body))).body.status).toBe("success");
    expect(queued).toHaveLength(1);
    expect(saveReceipt.mock.calls).toEqual([
      [reply, { id: "wamid.out" }],
      [{ ...reply, index: 1 }, { id: "wamid.b" }],
    ]);
  });
});
