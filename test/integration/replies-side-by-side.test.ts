import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chatEndpoints } from "../../functions/chat/endpoints.ts";
import { furtherChatEndpoints } from "../../functions/chat/further-endpoints.ts";
import { createOpenAiChatModels } from "../../shared/models/inference/openai/chat-models.ts";
import replies from "../fixtures/model-servers/replies.json" with { type: "json" };
import { type Behaviour, type FakeBackend, responding, startFakeBackend } from "../support/fake-backend.ts";
import type { LoopbackServer } from "../support/loopback-server.ts";
import { modelServer } from "../support/model-servers.ts";
import { serveStreaming } from "../support/streaming-server.ts";

/**
 * What servers of models send, read by the same SDK twice: from the server itself, and through the service. `direct` names what the
 * SDK shows otherwise of the server itself; without it both are the same.
 */
let backend: FakeBackend;
let service: LoopbackServer;
let direct: OpenAI;
let through: OpenAI;
beforeAll(async () => {
  backend = await startFakeBackend();
  const server = modelServer({ baseUrl: backend.baseUrl, silenceMilliseconds: 5_000 }, "large", "small");
  service = await serveStreaming([
    ...chatEndpoints({ models: createOpenAiChatModels([server]) }),
    ...furtherChatEndpoints({ models: createOpenAiChatModels([server]) }),
  ]);
  const options = { apiKey: "a-token", maxRetries: 0 };
  // It writes to the console what it cannot read.
  direct = new OpenAI({ ...options, logLevel: "off", baseURL: backend.baseUrl });
  through = new OpenAI({ ...options, baseURL: `${service.url}/v1` });
});
afterAll(async () => {
  await service.close();
  await backend.close();
});

interface Shown {
  readonly text: string;
  /** Names and arguments, in order. */
  readonly calls: (readonly [name: string, text: string])[];
  readonly finish: unknown;
}

const tools = ["price", "weather"].map((name) => ({ name, parameters: { type: "object" } }));
const request = {
  model: "lang-14b",
  messages: [{ role: "user" as const, content: "Oli otya?" }],
  tools: tools.map((tool) => ({ type: "function" as const, function: tool })),
};

/** As the helpers of the SDK read a stream: what has the same index is one call, and its last name counts. */
const readStream = async (client: OpenAI): Promise<Shown> => {
  const calls = new Map<unknown, { name: string; text: string }>();
  let text = "";
  let finish: unknown;
  for await (const { choices } of await client.chat.completions.create({ ...request, stream: true })) {
    for (const { delta, finish_reason } of choices ?? []) {
      text += delta.content ?? delta.refusal ?? "";
      finish = finish_reason || finish;
      for (const { index, function: called } of delta.tool_calls ?? []) {
        const call = calls.get(index) ?? { name: "", text: "" };
        calls.set(index, { name: called?.name || call.name, text: call.text + (called?.arguments ?? "") });
      }
    }
  }
  return { text, calls: [...calls.values()].map((call) => [call.name, call.text] as const), finish };
};

const readWhole = async (client: OpenAI): Promise<Shown> => {
  const { choices } = await client.chat.completions.create(request);
  const { message, finish_reason: finish } = choices[0] ?? {};
  const calls = (message?.tool_calls ?? []).flatMap((call) =>
    call.type === "function" ? [[call.function.name, call.function.arguments] as const] : [],
  );
  return { text: message?.content ?? message?.refusal ?? "", calls, finish };
};

/** The same through `/v1/responses`. */
const readResponse = async (isStreamed: boolean): Promise<Shown> => {
  const requested = {
    model: request.model,
    input: "Oli otya?",
    tools: tools.map((tool) => ({ type: "function" as const, strict: null, ...tool })),
  };
  const { output, output_text, incomplete_details } = isStreamed
    ? await through.responses.stream(requested).finalResponse()
    : await through.responses.create(requested);
  const calls = output.flatMap((item) =>
    item.type === "function_call" ? [[item.name, item.arguments] as const] : [],
  );
  return { text: output_text, calls, finish: incomplete_details?.reason };
};

/** An event is a chunk, its text, or an event of a type of its own. */
const writeEvent = (event: unknown): string => {
  if (typeof event === "string") return `data: ${event}\n\n`;
  if (typeof event !== "object" || event === null || !("event" in event && "data" in event))
    return `data: ${JSON.stringify(event)}\n\n`;
  const { event: type, data } = event;
  return `event: ${String(type)}\ndata: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
};

const behaviourOf = ({ events, body }: (typeof replies)[number]): Behaviour =>
  events
    ? (response) => {
        response.writeHead(200, { "Content-Type": "text/event-stream" });
        for (const event of events) response.write(writeEvent(event));
        response.end();
      }
    : responding(200, body);

const cases = replies.map((reply) => ({ ...reply, kind: reply.events ? "as a stream" : "whole" }));

describe("what a model's server sends", () => {
  it.each(cases)("is read $kind as by the SDK itself, or better: $name", async (reply) => {
    const { events, expected, direct: difference } = reply;
    backend.behave(behaviourOf(reply));
    const read = events ? readStream : readWhole;
    expect(await read(through)).toEqual(expected);
    const shown = read(direct);
    if (difference === undefined) expect(await shown).toMatchObject(expected);
    else if (difference === "fails") await expect(shown).rejects.toThrow();
    else expect(await shown).not.toEqual(expected);
  });

  it.each(cases)("is the same $kind in /v1/responses: $name", async (reply) => {
    const { events, expected } = reply;
    backend.behave(behaviourOf(reply));
    const reasons: Record<string, string> = { length: "max_output_tokens", content_filter: "content_filter" };
    expect(await readResponse(events !== undefined)).toEqual({
      ...expected,
      finish: reasons[expected.finish],
    });
  });
});
