import { createHash } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { checkFileAddress } from "../../../functions/messaging/graph-media.ts";
import { createGraphPlatform, type GraphTimeouts } from "../../../functions/messaging/graph-platform.ts";
import { MediaError } from "../../../functions/messaging/messaging-platform.ts";
import { logger } from "../../../shared/platform/telemetry/logger.ts";
import {
  type Behaviour,
  type FakeBackend,
  hanging,
  resetting,
  responding,
  startFakeBackend,
} from "../../support/fake-backend.ts";

let server: FakeBackend;
let baseUrl: string;
beforeAll(async () => {
  server = await startFakeBackend();
  baseUrl = new URL(server.baseUrl).origin;
});
afterAll(() => server.close());

const versions = (token: string | undefined) => ({
  current: token === undefined ? {} : { access_token: token },
  previous: {},
});

const setUp = (
  options: {
    readonly token?: string | undefined;
    readonly newest?: string;
    readonly url?: string;
    readonly timeouts?: GraphTimeouts;
  } = {},
) => {
  const token = "token" in options ? options.token : "access-token";
  const reload = vi.fn(async () => versions(options.newest ?? token));
  const platform = createGraphPlatform(
    {
      baseUrl: options.url ?? baseUrl,
      version: "v26.0",
      secrets: { get: async () => versions(token), reload },
    },
    options.timeouts,
  );
  const send = () =>
    platform.send(
      { phoneNumberId: "100", phone: "256700000001", sender: "256700000001" },
      { kind: "text", text: "Webale" },
      { quoting: "wamid.in", reference: "ref" },
    );
  return { platform, reload, send };
};

const accepted = responding(200, { messaging_product: "whatsapp", messages: [{ id: "wamid.out" }] });
const refusing = (code: number, status = 400): Behaviour =>
  responding(status, { error: { message: "No.", type: "OAuthException", code } });

const hasty: GraphTimeouts = { send: 50, typing: 50, media: 50 };

beforeEach(() => {
  server.behave(accepted);
  vi.spyOn(logger, "warn").mockReturnValue();
});
afterEach(() => vi.restoreAllMocks());

describe("a message to the platform", () => {
  it("goes to the number's address with its token in the header, and nowhere else", async () => {
    expect(await setUp().send()).toEqual({ kind: "accepted", id: "wamid.out" });
    const [request] = server.received;
    expect([request?.method, request?.path]).toEqual(["POST", "/v26.0/100/messages"]);
    expect(request?.headers).toMatchObject({
      authorization: "Bearer access-token",
      "content-type": "application/json",
      "content-length": String(Buffer.byteLength(request?.body ?? "")),
    });
    expect(request?.headers).not.toHaveProperty("traceparent");
    expect(logger.warn).not.toHaveBeenCalled();
    expect(JSON.parse(request?.body ?? "")).toEqual({
      messaging_product: "whatsapp",
      recipient_type: "individual",
      to: "256700000001",
      type: "text",
      text: { preview_url: true, body: "Webale" },
      context: { message_id: "wamid.in" },
      biz_opaque_callback_data: "ref",
    });
    expect(request?.path + (request?.body ?? "")).not.toContain("access-token");
  });

  it.each([
    ...[4, 80_007, 130_429, 131_048, 133_016].map((code) => [code, 30] as const),
    [131_056, 10] as const,
    ...[0, 3, 10, 190, 368, 131_005, 131_031, 131_042, 200, 250, 299].map((code) => [code, 60] as const),
  ])(
    "that is refused with code %i is postponed for %i seconds, and the log says so",
    async (code, seconds) => {
      server.behave(refusing(code));
      const outcome = { kind: "postponed", seconds, code };
      expect(await setUp().send()).toEqual(outcome);
      expect(logger.warn).toHaveBeenCalledExactlyOnceWith("answer.not_accepted", { status: 400, outcome });
    },
  );

  it.each([
    [429, 30],
    [401, 60],
    [403, 60],
  ])("with status %i and no code is postponed for %i seconds", async (status, seconds) => {
    server.behave(responding(status, "<h1>No</h1>"));
    expect(await setUp().send()).toEqual({ kind: "postponed", seconds, code: -1 });
  });

  it.each([131_021, 131_026, 131_030, 131_047, 131_049, 131_050, 131_062, 130_472])(
    "that is refused with code %i cannot reach the person",
    async (code) => {
      server.behave(refusing(code));
      expect(await setUp().send()).toEqual({ kind: "refused", reason: "unreachable", code });
    },
  );

  it.each([100, 199, 300, 131_008, 131_009, 131_051])(
    "that is refused with code %i is wrong in itself",
    async (code) => {
      server.behave(refusing(code));
      expect(await setUp().send()).toEqual({ kind: "refused", reason: "content", code });
    },
  );

  it.each<[string, Behaviour]>([
    ["a fault of the platform", refusing(131_000, 500)],
    ["a fault of the platform, with any code", refusing(100, 500)],
    ...[1, 2, 131_000, 131_016, 133_004].map((code): [string, Behaviour] => [`code ${code}`, refusing(code)]),
    ["an answer that says nothing", responding(200, {})],
    ["an answer without an id", responding(200, { messages: [] })],
    ["an answer that is no JSON", responding(200, "OK")],
    ["an answer that is far too long", responding(200, "x".repeat(2 * 1024 * 1024))],
    ["a page of a proxy", responding(502, "<h1>Bad gateway</h1>")],
    ["a refusal without a code", responding(400, "<h1>Bad request</h1>")],
    ["a redirect", responding(302, {}, { Location: "http://127.0.0.1:9/" })],
    ["a connection that breaks", resetting],
  ])("may have arrived after %s", async (_what, behaviour) => {
    server.behave(behaviour);
    expect(await setUp().send()).toEqual({ kind: "unknown" });
    expect(server.received).toHaveLength(1);
    expect(logger.warn).toHaveBeenCalledOnce();
  });

  it("may have arrived when the platform says nothing in time", async () => {
    server.behave(hanging);
    expect(await setUp({ timeouts: { ...hasty, typing: 60_000, media: 60_000 } }).send()).toEqual({
      kind: "unknown",
    });
    expect(logger.warn).toHaveBeenCalledExactlyOnceWith("answer.not_sent", {
      sure: false,
      reason: expect.objectContaining({ name: "TimeoutError" }),
    });
  });

  it("has not arrived when the platform cannot be reached, or there is no token", async () => {
    const postponed = { kind: "postponed", seconds: 15, code: -1 };
    const gone = await startFakeBackend();
    await gone.close();
    expect(await setUp({ url: new URL(gone.baseUrl).origin }).send()).toEqual(postponed);
    expect(logger.warn).toHaveBeenCalledExactlyOnceWith("answer.not_sent", {
      sure: true,
      reason: expect.objectContaining({ name: "NotSent", message: "The platform cannot be reached." }),
    });
    expect(await setUp({ token: undefined }).send()).toEqual(postponed);
    expect(server.received).toEqual([]);
  });

  it("goes only to the address of the number, for any name", async () => {
    await setUp().platform.send(
      { phoneNumberId: "../1?a=b", phone: undefined, sender: "UG.1" },
      { kind: "text", text: "Webale" },
      { quoting: undefined, reference: "ref" },
    );
    expect(server.received[0]?.path).toBe("/v26.0/..%2F1%3Fa%3Db/messages");
    expect(JSON.parse(server.received[0]?.body ?? "")).toEqual({
      messaging_product: "whatsapp",
      recipient_type: "individual",
      recipient: "UG.1",
      type: "text",
      text: { preview_url: true, body: "Webale" },
      biz_opaque_callback_data: "ref",
    });
  });

  it.each([
    ["a phone number", "256700000001", "256700000001", { to: "256700000001" }],
    ["a phone number with a plus", "+256700000001", "UG.1", { to: "+256700000001" }],
    ["no phone number", undefined, "UG.1a2B", { recipient: "UG.1a2B" }],
    ["a user id where phone numbers are", "UG.1", "UG.1", { recipient: "UG.1" }],
    ["no phone number, but one as sender", undefined, "256700000001", { to: "256700000001" }],
  ])("is addressed by the form of the identifier: %s", async (_, phone, sender, address) => {
    const content = { kind: "text", text: "Webale" } as const;
    await setUp().platform.send({ phoneNumberId: "100", phone, sender }, content, {
      quoting: undefined,
      reference: "r",
    });
    const { to, recipient } = JSON.parse(server.received[0]?.body ?? "");
    expect({ to, recipient }).toEqual({ to: undefined, recipient: undefined, ...address });
  });

  it("is not sent again when the newest token is gone", async () => {
    server.behave(refusing(190, 401), accepted);
    const secrets = { get: async () => versions("token"), reload: async () => versions(undefined) };
    const platform = createGraphPlatform({ baseUrl, version: "v26.0", secrets });
    const recipient = { phoneNumberId: "100", phone: "1", sender: "1" };
    const outcome = await platform.send(
      recipient,
      { kind: "text", text: "x" },
      { quoting: "q", reference: "r" },
    );
    expect(outcome).toEqual({ kind: "postponed", seconds: 15, code: -1 });
    expect(server.received).toHaveLength(1);
  });

  it("is sent again with the newest token when the one at hand is refused", async () => {
    server.behave(refusing(190, 401), accepted);
    expect(await setUp({ newest: "new-token" }).send()).toEqual({ kind: "accepted", id: "wamid.out" });
    expect(server.received.map(({ headers }) => headers.authorization)).toEqual([
      "Bearer access-token",
      "Bearer new-token",
    ]);
    server.behave(refusing(190, 401));
    const { send, reload } = setUp();
    expect(await send()).toEqual({ kind: "postponed", seconds: 60, code: 190 });
    expect(reload).toHaveBeenCalledOnce();
    expect(server.received).toHaveLength(1);
    server.behave(refusing(190, 401));
    expect(await setUp({ newest: "new-token" }).send()).toEqual({
      kind: "postponed",
      seconds: 60,
      code: 190,
    });
    expect(server.received).toHaveLength(2);
    server.behave(refusing(190, 403));
    expect(await setUp({ newest: "new-token" }).send()).toMatchObject({ kind: "postponed" });
    expect(server.received).toHaveLength(1);
  });
});

describe("the typing indicator", () => {
  it("also marks the message as read", async () => {
    await setUp().platform.showTyping({ phoneNumberId: "1/0" }, "wamid.in");
    expect([server.received[0]?.method, server.received[0]?.path]).toEqual(["POST", "/v26.0/1%2F0/messages"]);
    expect(JSON.parse(server.received[0]?.body ?? "")).toEqual({
      messaging_product: "whatsapp",
      status: "read",
      message_id: "wamid.in",
      typing_indicator: { type: "text" },
    });
  });
});

describe("the typing indicator, on a platform that is silent", () => {
  it("is given up after its own time", async () => {
    server.behave(hanging);
    const { platform } = setUp({ timeouts: { ...hasty, send: 60_000, media: 60_000 } });
    await expect(platform.showTyping({ phoneNumberId: "100" }, "wamid.in")).rejects.toMatchObject({
      name: "TimeoutError",
    });
  });
});

describe("a file from a person", () => {
  const bytes = Buffer.from("OggS and so on");
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  // The server's address is not known yet when cases are listed.
  const facts =
    (members: object = {}): Behaviour =>
    (response, request) => {
      const all = { url: `${baseUrl}/file`, mime_type: "audio/ogg", sha256, file_size: bytes.length };
      responding(200, { ...all, ...members })(response, request);
    };
  const file: Behaviour = (response) => void response.writeHead(200).end(bytes);
  const { signal } = new AbortController();
  const download = () => setUp().platform.download("77", { signal });
  const reasonOf = async () => {
    const error: unknown = await download().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(MediaError);
    return error instanceof MediaError ? error.reason : undefined;
  };

  it("is looked up, fetched with the token, and checked", async () => {
    server.behave(facts(), file);
    expect(Buffer.from((await download()).bytes)).toEqual(bytes);
    expect(server.received.map(({ method, path, headers }) => [method, path, headers.authorization])).toEqual(
      [
        ["GET", "/v26.0/77", "Bearer access-token"],
        ["GET", "/file", "Bearer access-token"],
      ],
    );
    expect(server.received[0]?.headers).not.toHaveProperty("content-type");
    expect(server.received[1]?.headers["user-agent"]).toBe("node");
  });

  it("is looked up under its id and nothing else", async () => {
    server.behave(facts(), file);
    await setUp().platform.download("../7?8", { signal });
    expect(server.received[0]?.path).toBe("/v26.0/..%2F7%3F8");
  });

  it.each([
    ["in the lookup", [refusing(190, 401), facts(), file], 3],
    ["for the file itself", [facts(), responding(401, "no"), file], 3],
  ])(
    "is requested again with the newest token when the cached one is refused %s",
    async (_when, list, calls) => {
      server.behave(...list);
      const { platform } = setUp({ newest: "new-token" });
      expect(Buffer.from((await platform.download("77", { signal })).bytes)).toEqual(bytes);
      expect(server.received).toHaveLength(calls);
      expect(server.received.map(({ headers }) => headers.authorization)).toContain("Bearer new-token");
    },
  );

  it.each([
    ["its checksum is written in capitals", { sha256: sha256.toUpperCase() }],
    ["its checksum is not known", { sha256: undefined }],
    ["its size is not known", { file_size: undefined }],
    ["its size is given as text", { file_size: String(bytes.length) }],
    ["it is announced to be as large as a file may be", { file_size: 16 * 1024 * 1024 }],
  ])("is taken also when %s", async (_what, members) => {
    server.behave(facts(members), file);
    expect(Buffer.from((await download()).bytes)).toEqual(bytes);
  });

  it.each<[string, Behaviour[], string]>([
    ["an id that the platform does not know (or no longer)", [refusing(100)], "gone"],
    ["an id that the platform does not know, with another status", [responding(404, "Not found")], "gone"],
    ["an id that was deleted", [responding(410, {})], "gone"],
    ["a missing file", [facts(), responding(404, {})], "gone"],
    ["a file that was deleted", [facts(), responding(410, {})], "gone"],
    ["a lookup that says nothing", [responding(200, {})], "unreachable"],
    [
      "a lookup with another status",
      [responding(202, { url: "https://lookaside.fbsbx.com/x" })],
      "unreachable",
    ],
    ["a lookup that is refused without a reason", [responding(400, "<h1>Bad request</h1>")], "unreachable"],
    ["a platform that fails", [refusing(1, 500)], "unreachable"],
    ["a platform that fails for a while", [refusing(2)], "unreachable"],
    ["a platform that finds us too fast", [responding(429, {})], "unreachable"],
    ["a platform that finds us too fast, by its code", [refusing(80_007)], "unreachable"],
    ["a token that is not good", [refusing(190, 401)], "unreachable"],
    ["a right that is missing", [refusing(10, 403)], "unreachable"],
    ["a file server that fails", [facts(), responding(503, {})], "unreachable"],
    ["a file server that finds us too fast", [facts(), responding(429, {})], "unreachable"],
    ["a file server that sends a part only", [facts(), responding(206, "Ogg")], "unreachable"],
  ])("cannot be had: %s", async (_what, behaviours, reason) => {
    server.behave(...behaviours);
    expect(await reasonOf()).toBe(reason);
    expect(server.received).toHaveLength(behaviours.length);
  });

  it.each([
    ["the lookup", []],
    ["the file", [facts()]],
  ])("is requested once more when the connection for %s breaks", async (_what, before) => {
    server.behave(facts(), file);
    await download();
    server.behave(...before, resetting);
    expect(await reasonOf()).toBe("unreachable");
    expect(server.received).toHaveLength(before.length + 2);
  });

  it.each([
    ["the lookup", [hanging]],
    ["the file", [facts(), hanging]],
  ])("cannot be had now when the platform says nothing in time about %s", async (_what, behaviours) => {
    server.behave(...behaviours);
    const { platform } = setUp({ timeouts: { ...hasty, send: 60_000, typing: 60_000 } });
    await expect(platform.download("77", { signal })).rejects.toMatchObject({
      name: "MediaError",
      reason: "unreachable",
      cause: expect.objectContaining({ name: "TimeoutError" }),
    });
  });

  it("may be on the platform's own host", () => {
    const address = "https://lookaside.fbsbx.com/whatsapp_business/attachments/?mid=77";
    expect(checkFileAddress(address, baseUrl).href).toBe(address);
  });

  it.each([
    ["http://lookaside.fbsbx.com/x", "without TLS"],
    ["https://lookaside.fbsbx.com.evil.example/x", "with a similar name"],
    ["https://user@lookaside.fbsbx.com/x", "with somebody's name in front"],
    ["https://:word@lookaside.fbsbx.com/x", "with a password in front"],
    ["https://fbsbx.com/x", "above the one that is known"],
    ["https://lookaside.fbsbx.com:8443/x", "on another port"],
    ["http://169.254.169.254/latest/meta-data", "inside of the cloud"],
    ["http://127.0.0.1:9/x", "on this machine"],
    ["file:///etc/passwd", "on this disk"],
    ["//lookaside.fbsbx.com/x", "without a scheme"],
  ])("is not fetched from %s: a host %s must not get the token", async (url) => {
    server.behave(facts({ url }));
    expect(await reasonOf()).toBe("unreachable");
    expect(server.received).toHaveLength(1);
  });

  it("is not fetched from where a redirect leads", async () => {
    server.behave(facts(), responding(302, {}, { Location: "http://169.254.169.254/" }));
    expect(await reasonOf()).toBe("unreachable");
  });

  it("is not taken when it is larger than 16 MB, as announced or as it comes", async () => {
    server.behave(facts({ file_size: 17 * 1024 * 1024 }), file);
    expect(await reasonOf()).toBe("too-large");
    expect(server.received).toHaveLength(1);
    const endless: Behaviour = (response) => {
      const piece = Buffer.alloc(1024 * 1024);
      const write = () => {
        while (!response.destroyed && response.write(piece));
      };
      response.writeHead(200).on("drain", write);
      write();
    };
    server.behave(facts({ sha256: undefined }), endless);
    expect(await reasonOf()).toBe("too-large");
  });

  it.each([
    [16 * 1024 * 1024, undefined],
    [16 * 1024 * 1024 + 1, "too-large"],
  ])("of %i bytes is taken, or too large: %s", async (size, reason) => {
    server.behave(facts({ sha256: undefined }), (response) => {
      response.writeHead(200).end(Buffer.alloc(size));
    });
    const result = await download().then(
      (media) => media.bytes.length,
      (error: unknown) => (error instanceof MediaError ? error.reason : error),
    );
    expect(result).toBe(reason ?? size);
  });

  it("is not used when it came damaged", async () => {
    server.behave(facts({ sha256: "0".repeat(64) }), file);
    expect(await reasonOf()).toBe("unreachable");
  });

  it("is abandoned when the time ends", async () => {
    const over = new AbortController();
    over.abort(new Error("Time is up."));
    await expect(setUp().platform.download("77", { signal: over.signal })).rejects.toThrow("Time is up.");
  });
});

describe("a file for the platform", () => {
  const { signal } = new AbortController();
  const note = { bytes: Buffer.from("OggS"), contentType: "audio/ogg; codecs=opus", fileName: "voice.ogg" };
  const upload = (options: Parameters<typeof setUp>[0] = {}, abort = signal) =>
    setUp(options).platform.upload({ phoneNumberId: "1/0" }, note, { signal: abort });

  it("is uploaded as a form of three parts and nothing else", async () => {
    server.behave(responding(200, { id: "4711" }));
    expect(await upload()).toBe("4711");
    const [request] = server.received;
    expect([request?.method, request?.path]).toEqual(["POST", "/v26.0/1%2F0/media"]);
    expect(request?.headers.authorization).toBe("Bearer access-token");
    const boundary = /^multipart\/form-data; boundary=(\S+)$/.exec(
      request?.headers["content-type"] ?? "",
    )?.[1];
    const parts = [
      'name="messaging_product"\r\n\r\nwhatsapp',
      'name="type"\r\n\r\naudio/ogg; codecs=opus',
      'name="file"; filename="voice.ogg"\r\nContent-Type: audio/ogg; codecs=opus\r\n\r\nOggS',
    ];
    expect(request?.body).toBe(
      `${parts.map((part) => `--${boundary}\r\nContent-Disposition: form-data; ${part}\r\n`).join("")}--${boundary}--\r\n`,
    );
  });

  it("is uploaded again with the newest token when the one at hand is refused", async () => {
    server.behave(refusing(190, 401), responding(200, { id: "4711" }));
    expect(await upload({ newest: "new-token" })).toBe("4711");
    expect(server.received.map(({ headers }) => headers.authorization)).toEqual([
      "Bearer access-token",
      "Bearer new-token",
    ]);
    expect(server.received[1]?.body).toContain("OggS");
  });

  it.each<[string, Behaviour, number]>([
    ["refused", refusing(100), 400],
    ["a response without an id", responding(200, {}), 200],
    ["a response with another status", responding(202, { id: "4711" }), 202],
  ])("that is %s is an error", async (_what, behaviour, status) => {
    server.behave(behaviour);
    await expect(upload()).rejects.toThrow(`did not take the file (status ${status})`);
  });

  it("is abandoned when the platform is silent for too long, or the work ends", async () => {
    server.behave(hanging);
    const timeouts = { ...hasty, send: 60_000, typing: 60_000 };
    await expect(upload({ timeouts })).rejects.toMatchObject({ name: "TimeoutError" });
    await expect(upload({}, AbortSignal.abort(new Error("Time is up.")))).rejects.toThrow("Time is up.");
  });
});
