import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, inject, it } from "vitest";
import * as z from "zod";
import { usageOperation } from "../../functions/auth/account-contract.ts";
import { languagesOperation } from "../../functions/docs/contract.ts";
import { createJobOperation, getJobOperation } from "../../functions/jobs/contract.ts";
import { classifyOperation } from "../../functions/language/contract.ts";
import { synthesizeOperation } from "../../functions/speech/contract.ts";
import { voicesOperation } from "../../functions/speech/voices-contract.ts";
import { createTranscriptionOperation } from "../../functions/transcription/contract.ts";
import { translateBatchOperation, translateOperation } from "../../functions/translate/contract.ts";
import { usage } from "../../shared/accounts/usage/usage.ts";
import type { Operation } from "../../shared/http/operation.ts";
import {
  baseUrl,
  call,
  createAccount,
  expectDeclared,
  expectError,
  type JsonResponse,
  send,
  sharedAccount,
} from "../support/client.ts";
import { problemsOf } from "../support/declared.ts";
import { connect, modes } from "../support/mcp-client.ts";
import { noise } from "../support/wav.ts";

type Connected = Awaited<ReturnType<typeof connect>>;
type ToolResult = Awaited<ReturnType<Connected["callTool"]>>;

const isLocal = inject("isLocal");
const greeting = { source_language: "eng", target_language: "lug", text: "How are you?" };

let token: string;
beforeAll(async () => {
  ({ token } = await sharedAccount());
});

const newKey = async (owner: string, choices: object) => {
  const { body } = await call("/auth/keys", { token: owner, body: { name: "agent", ...choices } });
  return { key: String(body.key), id: String(body.id) };
};

const upload = async (seconds: number) => {
  const link = { file_name: "council.wav", content_type: "audio/wav" };
  const { file_id, upload_url: url } = await send("/tasks/generate-upload-url", { token, body: link });
  const headers = { "Content-Type": "audio/wav" };
  await send(url, { method: "PUT", headers, body: noise(seconds) });
  return { file_id: String(file_id), url: String(url) };
};

/** Checks that a tool has succeeded, with the result that its operation declares, and the same as text. */
const expectResult = (operation: Operation, { isError, structuredContent, content }: ToolResult) => {
  expect(isError, JSON.stringify(content)).toBeFalsy();
  expect(problemsOf(operation.response.schema, structuredContent)).toEqual([]);
  expect(content[0]).toEqual({ type: "text", text: JSON.stringify(structuredContent) });
};

const fields = z.record(z.string(), z.unknown());

/** The fields of a tool's result. */
const fieldsOf = ({ structuredContent }: ToolResult) => fields.parse(structuredContent);

/** The error of a tool, as HTTP has it. */
const errorOf = ({ isError, content, structuredContent }: ToolResult) => {
  expect([isError, structuredContent]).toEqual([true, undefined]);
  const [text] = content;
  return text?.type === "text" ? JSON.parse(text.text) : undefined;
};

const rpc = (method: string, params: object = {}) => ({ jsonrpc: "2.0", id: 7, method, params });

const accepted = "application/json, text/event-stream";

const post = (
  body: unknown,
  { bearer, headers = {} }: { bearer?: string | undefined; headers?: object } = {},
) =>
  call("/mcp", {
    method: "POST",
    token: bearer ?? token,
    headers: { "Content-Type": "application/json", Accept: accepted, ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

describe.each(modes)("The protocol's own client, %s,", (_name, mode, revision) => {
  it("learns what the service is, and lists its tools with the schemas of their operations", async () => {
    const client = await connect(token, mode);
    expect(client.getNegotiatedProtocolVersion()).toBe(revision);
    expect(client.getServerVersion()).toMatchObject({ title: "Language AI Service" });
    expect(client.getInstructions()).toContain("African languages");
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      "translate",
      "translate_many",
      "detect_language",
      "transcribe",
      "detect_spoken_language",
      "speak",
      "list_languages",
      "list_voices",
      "start_transcription_job",
      "get_job",
    ]);
    for (const { inputSchema, outputSchema } of tools) {
      expect([inputSchema["type"], outputSchema?.["type"]]).toEqual(["object", "object"]);
      expect(JSON.stringify([inputSchema, outputSchema])).not.toContain("$ref");
    }
    const [translate] = tools;
    expect(translate?.inputSchema).toMatchObject({
      properties: { text: { maxLength: 5_000 } },
      required: expect.arrayContaining(["text", "target_language"]),
    });
  });
});

// The third mode ends with the revision of the second.
describe.each(modes.slice(0, 2))("Tools, by a client %s,", (_name, mode) => {
  it("translates, detects a language, and lists languages and voices", async () => {
    const client = await connect(token, mode);
    await client.listTools();
    const use = (name: string, given: Record<string, unknown>) => client.callTool({ name, arguments: given });
    const translated = await use("translate", greeting);
    expectResult(translateOperation, translated);
    if (isLocal)
      expect(translated.structuredContent).toMatchObject({ output: { translated_text: "Oli otya?" } });
    const many = await use("translate_many", { items: [{ text: "How are you?" }], target_language: "lug" });
    expectResult(translateBatchOperation, many);
    expect(many.structuredContent).toMatchObject({ results: [{ index: 0, status: "COMPLETED" }] });
    const detected = await use("detect_language", { text: "Wasuze otya nno, ssebo?" });
    expectResult(classifyOperation, detected);
    expect(detected.structuredContent).toEqual({ language: "lug" });
    expectResult(languagesOperation, await use("list_languages", {}));
    const voices = await use("list_voices", { language: "Luganda" });
    expectResult(voicesOperation, voices);
    expect(voices.structuredContent).toMatchObject({ language: "lug" });
  });

  it("speaks: with a link to the audio, and the audio itself up to 200 kB", async () => {
    const client = await connect(token, mode);
    await client.listTools();
    const speak = (given: object) =>
      client.callTool({ name: "speak", arguments: { language: "lug", ...given } });
    const spoken = await speak({ text: "Wasuze otya nno?", audio_format: "mp3" });
    expectResult(synthesizeOperation, spoken);
    const linked = await fetch(String(fieldsOf(spoken)["audio_url"]));
    const audio = Buffer.from(await linked.arrayBuffer()).toString("base64");
    expect(spoken.content[1]).toEqual({ type: "audio", data: audio, mimeType: "audio/mpeg" });
    const long = await speak({ text: "Wasuze otya nno? ".repeat(12), audio_format: "wav" });
    expectResult(synthesizeOperation, long);
    expect(long.content).toHaveLength(1);
  });

  it("transcribes an upload by its id or its link, and a long recording as a job", async () => {
    const client = await connect(token, mode);
    await client.listTools();
    const { file_id, url } = await upload(2);
    for (const source of [{ file_id }, { url }]) {
      const given = { ...source, language: "lug", timestamps: true };
      const transcribed = await client.callTool({ name: "transcribe", arguments: given });
      expectResult(createTranscriptionOperation, transcribed);
      expect(transcribed.structuredContent).toMatchObject({ language: "lug", segments: expect.any(Array) });
    }
    const started = await client.callTool({
      name: "start_transcription_job",
      arguments: { file_id, language: "lug" },
    });
    expectResult(createJobOperation, started);
    const id = String(fieldsOf(started)["id"]);
    const get = (given: object) => client.callTool({ name: "get_job", arguments: { id, ...given } });
    let job = await get({});
    while (/queued|running/.test(String(fieldsOf(job)["status"]))) {
      await sleep(500);
      job = await get({});
    }
    expectResult(getJobOperation, job);
    expect(job.structuredContent).toMatchObject({ status: "completed", has_transcript: true });
    const whole = await get({ with_transcript: true });
    const { body: transcript } = await call(`/tasks/jobs/${id}/result`, { token });
    expect(whole.structuredContent).toEqual({ ...fieldsOf(job), transcript });
  });

  it("gets failures of tools as results with our codes, and an unknown tool as an error of the protocol", async () => {
    const client = await connect(token, mode);
    const fail = async (name: string, given: Record<string, unknown>) =>
      errorOf(await client.callTool({ name, arguments: given })).error;
    expect(await fail("translate", { ...greeting, target_language: "xx-klingon" })).toMatchObject({
      code: "unsupported_language",
      supported_languages: expect.any(Array),
    });
    expect(await fail("translate", { text: "" })).toMatchObject({ code: "validation_failed" });
    expect(await fail("translate", {})).toMatchObject({ code: "validation_failed" });
    expect(await fail("transcribe", { language: "lug" })).toMatchObject({ code: "validation_failed" });
    expect(await fail("transcribe", { language: "lug", url: "https://example.com/a.wav" })).toMatchObject({
      code: "validation_failed",
      param: "url",
    });
    expect(await fail("get_job", { id: "unknown" })).toMatchObject({ code: "not_found" });
    await expect(client.callTool({ name: "delete_everything", arguments: {} })).rejects.toMatchObject({
      code: -32_602,
    });
  });
});

describe("A tool", () => {
  it("needs the scope of its operation", async () => {
    const { key, id } = await newKey(token, { scopes: ["language"] });
    const client = await connect(key);
    const use = (name: string, given: object = {}) => client.callTool({ name, arguments: { ...given } });
    expectResult(classifyOperation, await use("detect_language", { text: "Wasuze otya nno, ssebo?" }));
    expectResult(languagesOperation, await use("list_languages"));
    const refused = [
      use("translate", greeting),
      use("speak", { text: "Webale" }),
      use("list_voices"),
      use("get_job", { id: "1" }),
    ];
    for (const result of await Promise.all(refused)) {
      expect(errorOf(result).error.code).toBe("insufficient_scope");
    }
    await call(`/auth/keys/${id}`, { method: "DELETE", token });
  });

  it("counts as one request and one task of its operation, as over HTTP", async () => {
    const { token: owner } = await createAccount();
    const { key, id } = await newKey(owner, { scopes: ["translate"], monthly_limit: 2 });
    const left = async () => {
      const { headers } = await call("/auth/usage", { token: owner });
      return Number(headers.get("x-ratelimit-remaining-requests"));
    };
    const minute = () => Math.floor(Date.now() / 60_000);
    const start = minute();
    const before = await left();
    await post(rpc("tools/call", { name: "translate", arguments: greeting }), { bearer: key });
    await call("/tasks/translate", { token: key, body: greeting });
    const after = await left();
    // A new minute has all its requests.
    if (minute() === start) expect(before - after).toBe(3);
    const over = await post(rpc("tools/call", { name: "translate", arguments: greeting }), { bearer: key });
    expect(over.status).toBe(200);
    expect(errorOf(over.body.result).error.code).toBe("quota_exceeded");
    expect(over.body.result._meta).toMatchObject({ status: 429, retry_after_seconds: expect.any(Number) });
    await call("/tasks/language_id", { token: owner, body: { text: "Webale nnyo ssebo" } });
    const response = await call("/auth/usage", { token: owner });
    expectDeclared(usageOperation, response);
    const { days } = usage.parse(response.body);
    const rows = days.flatMap(({ operations }) => operations).filter(({ key: used }) => used === id);
    expect(rows).toMatchObject([{ path: "/tasks/translate", requests: 2, errors: 0 }]);
  });

  it("shows the limits of the account, as over HTTP", async () => {
    const { token: bearer } = await createAccount();
    const messages = [rpc("tools/list"), rpc("tools/call", { name: "translate", arguments: greeting })];
    const limits = await Promise.all(
      messages.map(async (message) => (await post(message, { bearer })).headers.get("ratelimit-policy")),
    );
    if (isLocal) expect(limits).toEqual(['"minute";q=50;w=60', '"minute";q=50;w=60, "day";q=500;w=86400']);
  });

  it("is refused with the others of a minute, and then as a result", async () => {
    const { token: bearer } = await createAccount();
    const list = () => post(rpc("tools/list"), { bearer });
    let refused = await list();
    // A minute may end meanwhile.
    for (let sent = 1; sent < 101 && refused.status !== 429; sent += 1) refused = await list();
    expectError(refused, 429, "rate_limited");
    const call = await post(rpc("tools/call", { name: "translate", arguments: greeting }), { bearer });
    expect(errorOf(call.body.result).error.code).toBe("rate_limited");
  });

  it("runs once for calls with the same idempotency key", async () => {
    const client = await connect(token);
    const use = (text: string) =>
      client.callTool({
        name: "translate",
        arguments: { ...greeting, text },
        _meta: { "idempotency-key": "agent-0001-same" },
      });
    const first = await use("water");
    const second = await use("water");
    expect(second.structuredContent).toEqual(first.structuredContent);
    expect(second._meta).toMatchObject({ idempotent_replayed: true });
    expect(errorOf(await use("fire")).error.code).toBe("idempotency_key_reused");
    const overHttp = await post(
      rpc("tools/call", { name: "translate", arguments: { ...greeting, text: "water" } }),
      { headers: { "Idempotency-Key": "agent-0001-same" } },
    );
    expect(overHttp.body.result.structuredContent).toEqual(first.structuredContent);
  });

  it("finds nothing of another account", async () => {
    const { token: other } = await createAccount();
    const client = await connect(other);
    const { file_id, url } = await upload(1);
    const { body: job } = await call("/tasks/jobs", {
      token,
      body: { type: "transcription", language: "lug", file_id },
    });
    const use = (name: string, given: object) => client.callTool({ name, arguments: { ...given } });
    const results = [
      use("transcribe", { file_id, language: "lug" }),
      use("transcribe", { url, language: "lug" }),
      use("start_transcription_job", { file_id, language: "lug" }),
      use("get_job", { id: job.id, with_transcript: true }),
    ];
    for (const result of await Promise.all(results)) expect(errorOf(result).error.code).toBe("not_found");
  });

  it("accepts no more than its operation", async () => {
    const text = "w".repeat(70_000);
    const translate = await post(rpc("tools/call", { name: "translate", arguments: { ...greeting, text } }));
    expect(errorOf(translate.body.result).error.code).toBe("payload_too_large");
    const larger = await post(rpc("tools/call", { name: "translate", arguments: { text: text.repeat(3) } }));
    expectError(larger, 413, "payload_too_large");
  });
});

describe("POST /mcp", () => {
  it("refuses missing and invalid tokens, and says how to get a key", async () => {
    for (const bearer of ["", "invalid", `lai_${"x".repeat(48)}`]) {
      const response = await call("/mcp", {
        method: "POST",
        headers: { ...(bearer ? { Authorization: `Bearer ${bearer}` } : {}), Accept: accepted },
        body: rpc("tools/list"),
      });
      expectError(response, 401, "unauthenticated");
      expect(response.headers.get("www-authenticate")).toBe("Bearer");
      expect(response.body.detail).toContain("POST /auth/keys");
    }
    // A client that finds it would look for an authorization server, which it must name.
    expectError(await call("/.well-known/oauth-protected-resource"), 404, "not_found");
  });

  it("refuses a revoked key for every message", async () => {
    const { key, id } = await newKey(token, { scopes: ["translate"] });
    expect((await post(rpc("tools/list"), { bearer: key })).status).toBe(200);
    await call(`/auth/keys/${id}`, { method: "DELETE", token });
    const messages = [
      rpc("tools/list"),
      rpc("initialize"),
      rpc("tools/call", { name: "translate", arguments: greeting }),
      rpc("tools/call", { name: "list_languages", arguments: {} }),
      rpc("unknown"),
    ];
    for (const message of messages) expectError(await post(message, { bearer: key }), 401, "unauthenticated");
  });

  it.each(["GET", "DELETE", "PUT"])("has no sessions, and no %s", async (method) => {
    const response = await call("/mcp", { method, token, headers: { Accept: "text/event-stream" } });
    expectError(response, 405, "method_not_allowed");
    expect(response.headers.get("allow")).toBe("POST, OPTIONS");
  });

  it("refuses pages of other sites", async () => {
    const from = (Origin: string) => post(rpc("tools/list"), { headers: { Origin } });
    for (const origin of ["https://example.com", "null", `${baseUrl}.example.com`, "http://localhost:1"]) {
      expectError(await from(origin), 403, "forbidden");
    }
    if (isLocal) expect((await from(new URL(baseUrl).origin)).status).toBe(200);
  });

  const broken: readonly (readonly [what: string, body: unknown, code: number])[] = [
    ["no JSON", "{", -32_700],
    ["nothing", "", -32_700],
    ["a batch", [rpc("tools/list")], -32_600],
    ["an empty batch", [], -32_600],
    ["a number", "7", -32_600],
    ["null", "null", -32_600],
    ["no message of JSON-RPC", { hello: "there" }, -32_600],
    ["another version of JSON-RPC", { ...rpc("tools/list"), jsonrpc: "1.0" }, -32_600],
  ];
  it.each(broken)("responds to %s with an error of the protocol", async (_what, body, code) => {
    const response = await post(body);
    expect(response.status).toBe(400);
    expect(response.body).toMatchObject({ jsonrpc: "2.0", error: { code } });
  });

  it("responds to an unknown method with an error of the protocol", async () => {
    const { body } = await post(rpc("resources/list"));
    expect(body).toMatchObject({ jsonrpc: "2.0", id: 7, error: { code: -32_601 } });
  });

  const envelope = {
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "conformance", version: "1.0.0" },
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  };
  const headersFor = (method: string) => ({ "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method });

  it("has server/discover for clients of revision 2026-07-28", async () => {
    const discover = rpc("server/discover", envelope);
    const { body } = await post(discover, { headers: headersFor("server/discover") });
    expect(body.result).toMatchObject({
      supportedVersions: expect.arrayContaining(["2026-07-28"]),
      capabilities: { tools: {} },
    });
  });

  it("opens no stream for subscriptions, because nothing changes", async () => {
    const listen = rpc("subscriptions/listen", { ...envelope, notifications: { toolsListChanged: true } });
    const response = await post(listen, { headers: headersFor("subscriptions/listen") });
    expect(response.body.error).toMatchObject({ code: expect.any(Number) });
  });

  it("refuses headers that contradict the message, and revisions that it does not know", async () => {
    const wrong = await post(rpc("tools/list", envelope), { headers: headersFor("tools/call") });
    expect([wrong.status, wrong.body.error.code]).toEqual([400, -32_020]);
    const unknown = await post(rpc("tools/list"), { headers: { "MCP-Protocol-Version": "1999-01-01" } });
    expect(unknown.status).toBe(400);
  });

  it("accepts JSON only, from clients that read JSON and events", async () => {
    const message = rpc("tools/list");
    expect((await post(message, { headers: { "Content-Type": "text/plain" } })).status).toBe(415);
    expect((await post(message, { headers: { Accept: "application/json" } })).status).toBe(200);
    expect((await post(message, { headers: { Accept: "text/html" } })).status).toBe(406);
  });

  it("takes notifications without a response", async () => {
    const response: JsonResponse = await post({ jsonrpc: "2.0", method: "notifications/initialized" });
    expect([response.status, response.body]).toEqual([202, ""]);
  });
});
