import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { buffer } from "node:stream/consumers";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { openApiOperation } from "../../functions/docs/contract.ts";
import { voicesOperation } from "../../functions/speech/voices-contract.ts";
import { baseUrl, call, createAccount, type TestAccount } from "../support/client.ts";
import { problemsOf } from "../support/declared.ts";

let account: TestAccount;
beforeAll(async () => {
  account = await createAccount();
});

/** The bytes over the wire: `fetch` decompresses automatically. */
const ask = async (
  path: string,
  {
    method = "GET",
    acceptEncoding,
    body,
    isForm = false,
  }: {
    readonly method?: string;
    readonly acceptEncoding?: string;
    readonly body?: string;
    readonly isForm?: boolean;
  } = {},
) => {
  const url = new URL(`${baseUrl}${path}`);
  const send = url.protocol === "https:" ? requestHttps : requestHttp;
  const request = send(url, {
    method,
    headers: {
      Authorization: `Bearer ${account.token}`,
      ...(acceptEncoding === undefined ? {} : { "Accept-Encoding": acceptEncoding }),
      ...(body === undefined
        ? {}
        : { "Content-Type": isForm ? "application/x-www-form-urlencoded" : "application/json" }),
    },
  });
  request.end(body);
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request.once("response", resolve).once("error", reject);
  });
  const { "content-encoding": coding, vary } = response.headers;
  return { status: response.statusCode, coding, vary, body: await buffer(response) };
};

const json = (value: object) => ({ method: "POST", body: JSON.stringify(value) });

describe("JSON of more than a kilobyte", () => {
  it.each([
    ["br", brotliDecompressSync],
    ["gzip", gunzipSync],
  ] as const)("is compressed for clients that accept it: %s", async (acceptEncoding, unpack) => {
    for (const [path, operation] of [
      ["/openapi.json", openApiOperation],
      ["/tasks/voice/speakers", voicesOperation],
    ] as const) {
      const packed = await ask(path, { acceptEncoding });
      const plain = await ask(path);
      expect(packed).toMatchObject({ status: 200, coding: acceptEncoding });
      expect(plain).toMatchObject({ status: 200, coding: undefined });
      for (const { vary } of [packed, plain]) expect(vary).toContain("Accept-Encoding");
      const text = unpack(packed.body).toString();
      expect(text).toBe(plain.body.toString());
      expect(problemsOf(operation.response.schema, JSON.parse(text))).toEqual([]);
      expect(packed.body.length).toBeLessThan(plain.body.length / 2);
    }
  });

  it("is read by a client that knows nothing of it", async () => {
    const { status, body } = await call("/openapi.json");
    expect(status).toBe(200);
    expect(Object.keys(body.paths).length).toBeGreaterThan(20);
  });

  it("has the same head for HEAD", async () => {
    const response = await ask("/openapi.json", { method: "HEAD", acceptEncoding: "br" });
    expect(response).toMatchObject({ status: 200, coding: "br" });
    expect(response.body).toHaveLength(0);
  });

  it("comes packed when it says what is wrong", async () => {
    const response = await ask("/tasks/translate", {
      ...json({ source_language: "eng", target_language: "fra", text: "Hello" }),
      acceptEncoding: "gzip",
    });
    expect(response).toMatchObject({ status: 400, coding: "gzip" });
    expect(JSON.parse(gunzipSync(response.body).toString())).toMatchObject({
      error: { code: "unsupported_language" },
    });
  });
});

describe("what comes as it is", () => {
  const acceptEncoding = "br, gzip";

  it("chat, token by token", async () => {
    const messages = [{ role: "user", content: "How do you say thank you in Luganda?" }];
    const request = json({ model: "lang-9b", stream: true, messages });
    const response = await ask("/tasks/chat/completions", { ...request, acceptEncoding });
    expect([response.status, response.coding]).toEqual([200, undefined]);
    expect(response.body.length).toBeGreaterThan(1_024);
    expect(response.body.toString()).toMatch(/^data: /);
  });

  it.each(["wav", "mp3", "opus"])("audio: %s", async (format) => {
    const request = json({ text: "Wasuze otya nno?", response_mode: "stream", audio_format: format });
    const response = await ask("/tasks/audio/speech", { ...request, acceptEncoding });
    expect([response.status, response.coding]).toEqual([200, undefined]);
    expect(response.body.length).toBeGreaterThan(1_024);
  });

  it("accounts and tokens", async () => {
    const { username, password } = account;
    const form = new URLSearchParams({ username, password }).toString();
    for (const response of [
      await ask("/auth/me", { acceptEncoding }),
      await ask("/auth/usage", { acceptEncoding }),
      await ask("/auth/token", { method: "POST", body: form, isForm: true, acceptEncoding }),
    ]) {
      expect([response.status, response.coding]).toEqual([200, undefined]);
      expect(response.vary ?? "").not.toContain("Accept-Encoding");
    }
  });
});
