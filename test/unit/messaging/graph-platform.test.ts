import { createHash } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { createGraphPlatform } from "../../../functions/messaging/graph-platform.ts";
import { MediaError } from "../../../functions/messaging/messaging-platform.ts";
import {
  answering,
  type Behaviour,
  type FakeBackend,
  resetting,
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
  options: { readonly token?: string | undefined; readonly newest?: string; readonly url?: string } = {},
) => {
  const token = "token" in options ? options.token : "access-token";
  const reload = vi.fn(async () => versions(options.newest ?? token));
  const platform = createGraphPlatform({
    baseUrl: options.url ?? baseUrl,
    version: "v26.0",
    secrets: { get: async () => versions(token), reload },
  });
  const send = () =>
    platform.send(
      { phoneNumberId: "100", phone: "256700000001", sender: "256700000001" },
      { kind: "text", text: "Webale" },
      { quoting: "wamid.in", reference: "ref" },
    );
  return { platform, reload, send };
};

const accepted = answering(200, { messaging_product: "whatsapp", messages: [{ id: "wamid.out" }] });
const refusing = (code: number, status = 400): Behaviour =>
  answering(status, { error: { message: "No.", type: "OAuthException", code } });

beforeEach(() => server.behave(accepted));

describe("a message to the platform", () => {
  it("goes to the number's address with its token in the header, and nowhere else", async () => {
    expect(await setUp().send()).toEqual({ kind: "accepted", id: "wamid.out" });
    const [request] = server.received;
    expect(request?.path).toBe("/v26.0/100/messages");
    expect(request?.headers.authorization).toBe("Bearer access-token");
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
    [130_429, 30],
    [131_056, 10],
    [131_048, 30],
    [80_007, 30],
    [4, 30],
    [190, 60],
    [10, 60],
    [131_031, 60],
  ])("that is refused with code %i is postponed for %i seconds", async (code, seconds) => {
    server.behave(refusing(code));
    expect(await setUp().send()).toEqual({ kind: "postponed", seconds, code });
  });

  it.each([131_047, 131_026, 131_030, 131_049, 131_050])(
    "that is refused with code %i cannot reach the person",
    async (code) => {
      server.behave(refusing(code));
      expect(await setUp().send()).toEqual({ kind: "refused", reason: "unreachable", code });
    },
  );

  it.each([100, 131_008, 131_009, 131_051])(
    "that is refused with code %i is wrong in itself",
    async (code) => {
      server.behave(refusing(code));
      expect(await setUp().send()).toEqual({ kind: "refused", reason: "content", code });
    },
  );

  it.each<[string, Behaviour]>([
    ["a fault of the platform", refusing(131_000, 500)],
    ["an answer that says nothing", answering(200, {})],
    ["a page of a proxy", answering(502, "<h1>Bad gateway</h1>")],
    ["a redirect", answering(302, {}, { Location: "http://127.0.0.1:9/" })],
    ["a connection that breaks", resetting],
  ])("may have arrived after %s", async (_what, behaviour) => {
    server.behave(behaviour);
    expect(await setUp().send()).toEqual({ kind: "unknown" });
  });

  it("has not arrived when the platform cannot be reached, or there is no token", async () => {
    const postponed = { kind: "postponed", seconds: 15, code: -1 };
    const gone = await startFakeBackend();
    await gone.close();
    expect(await setUp({ url: new URL(gone.baseUrl).origin }).send()).toEqual(postponed);
    expect(await setUp({ token: undefined }).send()).toEqual(postponed);
    expect(server.received).toEqual([]);
  });

  it("is sent again with the newest token when the one at hand is refused", async () => {
    server.behave(refusing(190, 401), accepted);
    expect(await setUp({ newest: "new-token" }).send()).toEqual({ kind: "accepted", id: "wamid.out" });
    expect(server.received.map(({ headers }) => headers.authorization)).toEqual([
      "Bearer access-token",
      "Bearer new-token",
    ]);
    server.behave(refusing(190, 401));
    expect(await setUp().send()).toMatchObject({ kind: "postponed" });
    expect(server.received).toHaveLength(1);
  });
});

describe("the sign that somebody is typing", () => {
  it("also marks the message as read", async () => {
    await setUp().platform.showTyping({ phoneNumberId: "100" }, "wamid.in");
    expect(JSON.parse(server.received[0]?.body ?? "")).toEqual({
      messaging_product: "whatsapp",
      status: "read",
      message_id: "wamid.in",
      typing_indicator: { type: "text" },
    });
  });
});

describe("a file that somebody sent", () => {
  const bytes = Buffer.from("OggS and so on");
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const facts = (members: object = {}) =>
    answering(200, {
      url: `${baseUrl}/file`,
      mime_type: "audio/ogg",
      sha256,
      file_size: bytes.length,
      ...members,
    });
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
    expect(server.received.map(({ path, headers }) => [path, headers.authorization])).toEqual([
      ["/v26.0/77", "Bearer access-token"],
      ["/file", "Bearer access-token"],
    ]);
  });

  it.each<[string, Behaviour[], string]>([
    ["an id that the platform does not know (any more)", [refusing(100)], "gone"],
    ["a link that is no longer good", [answering(200, {}), answering(404, {})], "unreachable"],
    ["a platform that fails", [refusing(1, 500)], "unreachable"],
  ])("cannot be had: %s", async (_what, behaviours, reason) => {
    server.behave(...behaviours);
    expect(await reasonOf()).toBe(reason);
  });

  it.each([
    ["http://lookaside.fbsbx.com/x", "without TLS"],
    ["https://lookaside.fbsbx.com.evil.example/x", "with a similar name"],
    ["https://user@lookaside.fbsbx.com/x", "with somebody's name in front"],
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
    server.behave(facts(), answering(302, {}, { Location: "http://169.254.169.254/" }));
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
    server.behave(facts(), endless);
    expect(await reasonOf()).toBe("too-large");
  });

  it("is not used when it came damaged", async () => {
    server.behave(facts({ sha256: "0".repeat(64) }), file);
    expect(await reasonOf()).toBe("unreachable");
  });

  it("is not waited for when time is up", async () => {
    const over = new AbortController();
    over.abort(new Error("Time is up."));
    await expect(setUp().platform.download("77", { signal: over.signal })).rejects.toThrow("Time is up.");
  });
});

describe("a file for the platform", () => {
  const { signal } = new AbortController();
  const note = { bytes: Buffer.from("OggS"), contentType: "audio/ogg; codecs=opus", fileName: "voice.ogg" };
  const upload = () => setUp().platform.upload({ phoneNumberId: "100" }, note, { signal });

  it("is uploaded as a form", async () => {
    server.behave(answering(200, { id: "4711" }));
    expect(await upload()).toBe("4711");
    const [request] = server.received;
    expect(request?.path).toBe("/v26.0/100/media");
    expect(request?.headers["content-type"]).toMatch(/^multipart\/form-data; boundary=/);
    expect(request?.body).toContain('name="messaging_product"\r\n\r\nwhatsapp');
    expect(request?.body).toContain(
      'filename="voice.ogg"\r\nContent-Type: audio/ogg; codecs=opus\r\n\r\nOggS',
    );
  });

  it("that is not taken is an error", async () => {
    server.behave(refusing(100));
    await expect(upload()).rejects.toThrow("did not take the file (status 400)");
  });
});
