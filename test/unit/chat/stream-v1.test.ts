import { afterEach, describe, expect, it, vi } from "vitest";
import { chatEndpoints } from "../../../functions/chat/endpoints.ts";
import { furtherChatEndpoints } from "../../../functions/chat/further-endpoints.ts";
import { v1ChatCompletionChunk } from "../../../functions/chat/v1/chat-completion.ts";
import { responseObject } from "../../../functions/chat/v1/response-object.ts";
import { createStreamingHandler } from "../../../shared/http/pipeline.ts";
import type { ChatEvent, ChatModels, TokenUsage } from "../../../shared/models/inference/chat.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";
import { problemsOf } from "../../support/declared.ts";
import { lambdaContext, lambdaEvent } from "../../support/lambda-event.ts";
import { invokeStreaming, stubStreamingRuntime } from "../../support/lambda-stream.ts";
import { authorizedCaller } from "../../support/send.ts";
import { sourceOf } from "../../support/sources.ts";
import { unlimited } from "../../support/unlimited.ts";

afterEach(() => {
  vi.unstubAllGlobals();
});

const text = (value: string): ChatEvent => ({ type: "text-delta", text: value });
const finish = (finishReason: "stop" | "length" | "tool_calls"): ChatEvent => ({
  type: "finish",
  finishReason,
});
const counted = (usage: TokenUsage): ChatEvent => ({ type: "usage", usage });
const usage = { prompt_tokens: 11, completion_tokens: 3, total_tokens: 14 };
const calling: readonly ChatEvent[] = [
  { type: "tool-call", index: 0, call: { id: "a", name: "one", arguments: "" } },
  { type: "tool-call-delta", index: 0, arguments: '{"x":' },
  { type: "tool-call-delta", index: 0, arguments: "1}" },
  { type: "tool-call", index: 1, call: { id: "b", name: "two", arguments: "{}" } },
  finish("tool_calls"),
];

/** The body of a streamed reply to a request, when a model sends these events, and then this failure. */
const stream = async (path: string, body: object, events: readonly ChatEvent[], failure?: unknown) => {
  stubStreamingRuntime();
  const models: ChatModels = {
    reply: () => Promise.reject(new Error("not to be called")),
    streamReply: async () =>
      sourceOf(
        (async function* () {
          for (const event of events) yield [event];
          if (failure) throw failure;
        })(),
      ),
  };
  const { body: sent } = await invokeStreaming(
    createStreamingHandler([...chatEndpoints({ models }), ...furtherChatEndpoints({ models })], {
      limiter: unlimited,
    }),
    lambdaEvent({
      path,
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ stream: true, ...body }),
      authorizer: authorizedCaller,
    }),
    lambdaContext(),
  );
  return String(sent).trimEnd().split("\n\n");
};

describe("a streamed chat completion of /v1", () => {
  const chat = async (events: readonly ChatEvent[], options: object = {}) => {
    const messages = [{ role: "user", content: "Hello" }];
    const sent = await stream("/v1/chat/completions", { messages, ...options }, events);
    expect(sent.pop()).toBe("data: [DONE]");
    const chunks = sent.map((event) => JSON.parse(event.replace("data: ", "")));
    for (const chunk of chunks) expect(problemsOf(v1ChatCompletionChunk, chunk)).toEqual([]);
    return chunks;
  };

  it("calls tools in pieces, each at the index of its call", async () => {
    const chunks = await chat(calling);
    expect(chunks.map(({ choices }) => [choices[0].delta, choices[0].finish_reason])).toEqual([
      [{ role: "assistant", content: "" }, null],
      [
        { tool_calls: [{ index: 0, id: "a", type: "function", function: { name: "one", arguments: "" } }] },
        null,
      ],
      [{ tool_calls: [{ index: 0, function: { arguments: '{"x":' } }] }, null],
      [{ tool_calls: [{ index: 0, function: { arguments: "1}" } }] }, null],
      [
        { tool_calls: [{ index: 1, id: "b", type: "function", function: { name: "two", arguments: "{}" } }] },
        null,
      ],
      [{}, "tool_calls"],
    ]);
  });

  it("has the tokens only on request, and only when all of them were counted", async () => {
    const requested = { stream_options: { include_usage: true } };
    const whole = [text("Hi"), finish("stop"), counted(usage)];
    expect((await chat(whole)).filter(({ choices }) => choices.length === 0)).toEqual([]);
    expect((await chat(whole, requested)).at(-1)).toMatchObject({ choices: [], usage });
    const partly = [text("Hi"), finish("stop"), counted({ ...usage, prompt_tokens: null })];
    expect((await chat(partly, requested)).filter(({ choices }) => choices.length === 0)).toEqual([]);
  });
});

describe("a streamed response", () => {
  const respond = async (events: readonly ChatEvent[], failure?: unknown) => {
    const sent = await stream("/v1/responses", { input: "Hello" }, events, failure);
    return sent.map((event, index) => {
      const [name = "", data = ""] = event.split("\n");
      const { type, sequence_number, ...rest } = JSON.parse(data.replace("data: ", ""));
      expect(name).toBe(`event: ${type}`);
      expect(sequence_number).toBe(index);
      if (rest.response) expect(problemsOf(responseObject, rest.response)).toEqual([]);
      return { type, ...rest };
    });
  };
  const kinds = (events: readonly { readonly type: string }[]) => events.map(({ type }) => type);

  it("has its text, then its calls, each an item of its own from its beginning to its end", async () => {
    const events = await respond([text("I "), text("ask."), ...calling, counted(usage)]);
    expect(kinds(events)).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.content_part.added",
      "response.output_text.delta",
      "response.output_text.delta",
      "response.output_item.added",
      "response.function_call_arguments.delta",
      "response.function_call_arguments.delta",
      "response.output_item.added",
      "response.function_call_arguments.delta",
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.function_call_arguments.done",
      "response.output_item.done",
      "response.function_call_arguments.done",
      "response.output_item.done",
      "response.completed",
    ]);
    const { output, status, usage: reported } = events.at(-1)?.response ?? {};
    expect(status).toBe("completed");
    expect(output).toMatchObject([
      { type: "message", status: "completed", content: [{ text: "I ask." }] },
      { type: "function_call", status: "completed", call_id: "a", name: "one", arguments: '{"x":1}' },
      { type: "function_call", status: "completed", call_id: "b", name: "two", arguments: "{}" },
    ]);
    expect(reported).toMatchObject({ input_tokens: 11, output_tokens: 3, total_tokens: 14 });
    const done = events.filter(({ type }) => type === "response.output_item.done");
    expect(done.map(({ output_index }) => output_index)).toEqual([0, 1, 2]);
    expect(done.map(({ item }) => item)).toEqual(output);
    const pieces = events.filter(({ type }) => type === "response.function_call_arguments.delta");
    expect(pieces.map(({ output_index, delta }) => [output_index, delta])).toEqual([
      [1, '{"x":'],
      [1, "1}"],
      [2, "{}"],
    ]);
  });

  it("that the limit of tokens cut says so", async () => {
    const events = await respond([text("Oli"), finish("length")]);
    expect(events.at(-1)).toMatchObject({
      type: "response.incomplete",
      response: {
        status: "incomplete",
        incomplete_details: { reason: "max_output_tokens" },
        output: [{ status: "incomplete" }],
        usage: null,
      },
    });
  });

  it("that fails says so in an error and as a response", async () => {
    const failure = new AppError("service_unavailable", { message: "The model is busy." });
    const events = await respond([text("Oli")], failure);
    expect(events.slice(-2)).toMatchObject([
      { type: "error", code: "service_unavailable", message: "The model is busy.", param: null },
      {
        type: "response.failed",
        response: {
          status: "failed",
          error: { code: "service_unavailable", message: "The model is busy." },
          output: [{ status: "incomplete", content: [{ text: "Oli" }] }],
        },
      },
    ]);
    expect(kinds(events)).not.toContain("response.completed");
  });
});
