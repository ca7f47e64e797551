import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { buffer } from "node:stream/consumers";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { openApiOperation } from "../../functions/docs/contract.ts";
import { voicesOperation } from "../../functions/speech/voices-contract.ts";
import { baseUrl, sharedAccount, type TestAccount } from "../support/client.ts";
import { problemsOf } from "../support/declared.ts";

let account: TestAccount;
beforeAll(async () => {
  account = await sharedAccount();
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
});

describe("what comes as it is", () => {
  const acceptEncoding = "br, gzip";

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
