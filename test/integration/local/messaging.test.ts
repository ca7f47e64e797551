import { createHmac } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { deliveryOf } from "../../../infra/local/messaging/deliveries.ts";
import {
  type MessagingPlatformServer,
  startMessagingPlatform,
} from "../../../infra/local/messaging/platform-server.ts";

interface Report {
  readonly signature: string | undefined;
  readonly body: string;
}

let dataDirectory: string;
let webhook: Server;
let reports: Report[];
let platform: MessagingPlatformServer;

const start = () => {
  const { port } = webhook.address() as AddressInfo;
  return startMessagingPlatform({
    dataDirectory,
    accessToken: "access",
    webhook: { url: `http://127.0.0.1:${port}/tasks/webhook`, appSecret: "secret" },
  });
};

beforeEach(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), "language-ai-messaging-"));
  reports = [];
  webhook = createServer((request, response) => {
    void (async () => {
      const signature = request.headers["x-hub-signature-256"];
      reports.push({
        signature: Array.isArray(signature) ? signature[0] : signature,
        body: (await buffer(request)).toString(),
      });
      response.end("{}");
    })();
  });
  await new Promise<void>((resolve) => webhook.listen(0, "127.0.0.1", resolve));
  platform = await start();
});
afterEach(async () => {
  await platform.close();
  webhook.closeAllConnections();
  await new Promise((resolve) => webhook.close(resolve));
  await rm(dataDirectory, { recursive: true });
});

const call = async (path: string, init: RequestInit = {}) => {
  const response = await fetch(`${platform.endpoint}${path}`, {
    ...init,
    headers: { Authorization: "Bearer access", ...init.headers },
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
};

const send = async (body: unknown, init: RequestInit = {}) => {
  const response = await call("/v26.0/100/messages", { method: "POST", body: JSON.stringify(body), ...init });
  return { status: response.status, body: JSON.parse(response.text) };
};

const text = (body: string) => ({
  messaging_product: "whatsapp",
  to: "256700000001",
  type: "text",
  text: { body },
  biz_opaque_callback_data: "ref",
});

const upload = (type: string, fileType = type) => {
  const form = new FormData();
  form.set("messaging_product", "whatsapp");
  form.set("type", type);
  form.set("file", new Blob(["OggS"], { type: fileType }), "voice.ogg");
  return call("/v26.0/100/media", { method: "POST", body: form });
};

describe("the messaging platform's stand-in", () => {
  it("takes a message, shows it, and reports it to the webhook, signed", async () => {
    const response = await send(text("Webale"));
    expect(response).toMatchObject({
      status: 200,
      body: { messaging_product: "whatsapp", messages: [{ id: expect.stringMatching(/^wamid\./) }] },
    });
    expect(platform.sentMessages()).toMatchObject([
      { to: "256700000001", type: "text", body: text("Webale"), at: expect.stringMatching(/Z$/) },
    ]);
    await expect.poll(() => reports.length).toBe(1);
    const [report] = reports;
    const signature = createHmac("sha256", "secret")
      .update(report?.body ?? "")
      .digest("hex");
    expect(report?.signature).toBe(`sha256=${signature}`);
    expect(JSON.parse(report?.body ?? "")).toMatchObject({
      object: "whatsapp_business_account",
      entry: [
        {
          changes: [
            {
              value: {
                metadata: { phone_number_id: "100" },
                statuses: [
                  {
                    id: response.body.messages[0].id,
                    status: "sent",
                    recipient_id: "256700000001",
                    biz_opaque_callback_data: "ref",
                  },
                ],
              },
            },
          ],
        },
      ],
    });
  });

  it("keeps messages and files across restarts, oldest first", async () => {
    await send(text("one"));
    const id = platform.addMedia("audio/ogg", Buffer.from("OggS"));
    await platform.close();
    platform = await start();
    await send(text("two"));
    expect(platform.sentMessages().map(({ body }) => body)).toMatchObject([
      { text: { body: "one" } },
      { text: { body: "two" } },
    ]);
    expect((await call(`/v26.0/${id}`)).status).toBe(200);
  });

  it("takes a read mark without passing anything on", async () => {
    const mark = { messaging_product: "whatsapp", status: "read", message_id: "wamid.1" };
    expect(await send({ ...mark, typing_indicator: { type: "text" } })).toEqual({
      status: 200,
      body: { success: true },
    });
    expect(platform.sentMessages()).toEqual([]);
  });

  it.each([
    ["longer than 4096 characters", text("x".repeat(4_097))],
    ["empty", text("")],
    ["to no one", { ...text("x"), to: undefined }],
    ["of an unknown type", { ...text("x"), type: "carrier-pigeon" }],
    ["about a missing file", { ...text("x"), type: "audio", audio: { id: "1" } }],
    [
      "with four buttons",
      {
        ...text("x"),
        type: "interactive",
        interactive: {
          type: "button",
          body: { text: "x" },
          action: { buttons: Array(4).fill({ type: "reply", reply: { id: "a", title: "A" } }) },
        },
      },
    ],
  ])("refuses a message that is %s, as the platform does", async (_what, message) => {
    expect(await send(message)).toMatchObject({
      status: 400,
      body: { error: { code: expect.any(Number), type: "OAuthException" } },
    });
    expect(platform.sentMessages()).toEqual([]);
  });

  /** A delivery to the webhook with a message that was sent this long ago. */
  const deliveryFrom = (secondsAgo: number): Buffer => {
    const timestamp = String(Math.floor(Date.now() / 1_000) - secondsAgo);
    const messages = [{ from: "256700000001", id: "wamid.1", timestamp, type: "text" }];
    return Buffer.from(JSON.stringify(deliveryOf({ messages })));
  };
  const day = 24 * 60 * 60;

  it("refuses everything but templates to a person who wrote more than 24 hours ago, until they write again", async () => {
    platform.noteDelivery(deliveryFrom(day + 60));
    expect(await send(text("Webale"))).toMatchObject({
      status: 400,
      body: { error: { code: 131_047, message: expect.stringContaining("Re-engagement message") } },
    });
    expect((await send({ ...text("Webale"), to: "256700000002" })).status).toBe(200);
    const id = platform.addMedia("text/plain", Buffer.from("Oli otya?"));
    const document = { id, filename: "transcript.txt" };
    const template = {
      name: "transcript_ready",
      language: { code: "en" },
      components: [{ type: "header", parameters: [{ type: "document", document }] }],
    };
    const { text: _text, ...common } = text("");
    expect((await send({ ...common, type: "template", template })).status).toBe(200);
    platform.noteDelivery(Buffer.from("{"));
    platform.noteDelivery(deliveryFrom(day - 60));
    // An old message that is delivered late does not close the window again.
    platform.noteDelivery(deliveryFrom(day + 60));
    expect((await send(text("Webale"))).status).toBe(200);
  });

  it("refuses requests without a token or with another one", async () => {
    for (const Authorization of ["", "Bearer other"]) {
      expect(await send(text("x"), { headers: { Authorization } })).toMatchObject({
        status: 401,
        body: { error: { code: 190 } },
      });
    }
  });

  it("returns a file that a person sent, to callers with the token", async () => {
    const id = platform.addMedia("audio/ogg; codecs=opus", Buffer.from("OggS"));
    const { url, ...facts } = JSON.parse((await call(`/v26.0/${id}`)).text);
    expect(facts).toEqual({
      messaging_product: "whatsapp",
      mime_type: "audio/ogg; codecs=opus",
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      file_size: 4,
      id,
    });
    const path = new URL(url).pathname;
    expect(await call(path)).toMatchObject({ status: 200, text: "OggS" });
    expect((await call(path, { headers: { Authorization: "" } })).status).toBe(401);
  });

  it("reports an unknown file as the platform does", async () => {
    const response = await call("/v26.0/4711");
    expect(response.status).toBe(400);
    expect(JSON.parse(response.text).error).toMatchObject({ code: 100, type: "GraphMethodException" });
  });

  it("takes uploads of what the platform plays, and refuses WAV", async () => {
    const { id } = JSON.parse((await upload("audio/ogg; codecs=opus")).text);
    expect((await send({ ...text("x"), type: "audio", audio: { id, voice: true } })).status).toBe(200);
    for (const [type, fileType] of [
      ["audio/wav", "audio/wav"],
      ["audio/ogg", "audio/wav"],
    ] as const) {
      expect(JSON.parse((await upload(type, fileType)).text).error.code).toBe(100);
    }
  });

  it("works without a webhook that responds", async () => {
    webhook.closeAllConnections();
    await new Promise((resolve) => webhook.close(resolve));
    expect((await send(text("Webale"))).status).toBe(200);
    webhook.listen(0, "127.0.0.1");
  });
});
