import { describe, expect, it, vi } from "vitest";
import type { CalledResponse } from "../../../functions/mcp/call-operation.ts";
import { type McpDependencies, respondToMessage } from "../../../functions/mcp/respond-to-message.ts";
import type { RequestFacts } from "../../../shared/http/exchange.ts";
import { Reply, ReplyWithHeaders } from "../../../shared/http/response.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";

const sender: RequestFacts = {
  id: "request-1",
  sourceAddress: "192.0.2.1",
  basePath: "",
  headers: { authorization: "Bearer a.b.c", "content-type": "application/json" },
  signal: new AbortController().signal,
};

const speech = { storage_object: "speech/2026-11-24/1/a.mp3", audio_url: "https://audio.example.com/a.mp3" };

const responding = (response: Partial<CalledResponse>): CalledResponse => ({
  status: 200,
  headers: {},
  body: JSON.stringify(speech),
  ...response,
});

const admission = {
  statuses: [{ window: "minute", limit: 50, remaining: 49, resetSeconds: 9 }],
  refusal: undefined,
} as const;

const dependenciesWith = (given: Partial<McpDependencies>) => ({
  verifyBearer: async () => ({ userId: 1, tokenId: "t", tokenEpoch: 0 }),
  limiter: { admit: vi.fn(async () => admission), release: vi.fn(async () => undefined) },
  callOperation: vi.fn(async () => responding({})),
  store: { open: async () => undefined },
  publicBaseUrl: "https://api.example.com",
  ...given,
});

const callOf = (name: string, given: object) => {
  const params = { name, arguments: given };
  return Buffer.from(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }));
};

const resultOf = async (body: Uint8Array, dependencies: McpDependencies) => {
  const reply = await respondToMessage(body, sender, dependencies);
  if (reply instanceof Reply) throw new Error(`The reply has the status ${reply.status}.`);
  expect(reply).toBeInstanceOf(ReplyWithHeaders);
  return reply.result;
};

describe("A message that is not UTF-8", () => {
  it("is refused with its first wrong byte, before a tool is called", async () => {
    const dependencies = dependenciesWith({});
    const body = Buffer.from(callOf("translate", { text: "café" }).toString(), "latin1");
    const reply = await respondToMessage(body, sender, dependencies);
    expect(reply).toMatchObject({
      status: 400,
      body: expect.stringContaining("UTF-8: the byte at position"),
    });
    expect(dependencies.callOperation).not.toHaveBeenCalled();
  });
});

describe("A message that calls a tool", () => {
  const speak = callOf("speak", { text: "Webale" });

  it("is counted by its operation only, whose limits the response shows", async () => {
    const headers = { "X-Request-Id": "r", "RateLimit-Policy": '"minute";q=50;w=60' };
    const dependencies = dependenciesWith({ callOperation: async () => responding({ headers }) });
    const reply = await respondToMessage(speak, sender, dependencies);
    expect(dependencies.limiter.admit).not.toHaveBeenCalled();
    expect(reply.headers).toEqual({ "RateLimit-Policy": '"minute";q=50;w=60' });
  });

  it("is counted itself when its arguments are refused before the operation", async () => {
    const dependencies = dependenciesWith({});
    const body = callOf("transcribe", { url: "https://example.com/a.wav", language: "lug" });
    expect(await resultOf(body, dependencies)).toMatchObject({ result: { isError: true } });
    expect(dependencies.callOperation).not.toHaveBeenCalled();
    expect(dependencies.limiter.admit).toHaveBeenCalledOnce();
  });

  it("reads the upload of a link without fetching from it", async () => {
    const dependencies = dependenciesWith({});
    const file_id = "9d3c5f0e-8f0b-4f4e-9f0e-2f1d3c4b5a69";
    const url = `https://bucket.example.com/uploads/${file_id}/council.wav?X-Amz-Signature=abc`;
    await resultOf(callOf("transcribe", { url, language: "lug", timestamps: true }), dependencies);
    expect(dependencies.callOperation).toHaveBeenCalledWith(
      expect.objectContaining({ form: { file_id, language: "lug", timestamps: "true" } }),
      sender,
    );
    const both = await resultOf(callOf("transcribe", { url, file_id, language: "lug" }), dependencies);
    expect(JSON.stringify(both)).toContain("send either url or file_id, not both");
  });

  it("fails as a whole when the service has a fault, whose cause the client never sees", async () => {
    const fault = new Error("the table is called accounts-7");
    const dependencies = dependenciesWith({ callOperation: () => Promise.reject(fault) });
    await expect(respondToMessage(speak, sender, dependencies)).rejects.toBe(fault);
  });

  it("has only the link to audio that cannot be read or is too large", async () => {
    const unreadable = async () => {
      throw new AppError("storage_unavailable");
    };
    const large = async () => ({ size: 200_001, read: async () => new Uint8Array(200_001) });
    for (const open of [unreadable, large]) {
      const { result } = await resultOf(speak, dependenciesWith({ store: { open } }));
      expect(result).toMatchObject({ content: [{ type: "text" }], structuredContent: speech });
      expect(Object(result).content).toHaveLength(1);
    }
    const small = async () => ({ size: 3, read: async () => Buffer.from("abc") });
    const { result } = await resultOf(speak, dependenciesWith({ store: { open: small } }));
    const audio = { type: "audio", data: "YWJj", mimeType: "audio/mpeg" };
    expect(result).toMatchObject({ content: [{ type: "text" }, audio] });
  });

  it("gets 401 when its operation refuses the token", async () => {
    const refusal = responding({ status: 401, body: "{}" });
    const dependencies = dependenciesWith({ callOperation: async () => refusal });
    await expect(respondToMessage(speak, sender, dependencies)).rejects.toMatchObject({
      code: "unauthenticated",
    });
  });
});
