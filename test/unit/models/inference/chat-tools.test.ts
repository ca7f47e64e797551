import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ChatRequest } from "../../../../shared/models/inference/chat.ts";
import { createOpenAiChatModels } from "../../../../shared/models/inference/openai/chat-models.ts";
import { StreamedResponse } from "../../../../shared/models/inference/openai/streamed-response.ts";
import type { GivenProfile } from "../../../../shared/models/inference/profile-schema.ts";
import { AppError } from "../../../../shared/platform/errors/app-error.ts";
import { chatRequest } from "../../../support/chat-stream.ts";
import { completion, type FakeBackend, responding, startFakeBackend } from "../../../support/fake-backend.ts";
import { modelServer } from "../../../support/model-servers.ts";
import { priceTool } from "../../../support/tools.ts";

let backend: FakeBackend;
beforeAll(async () => {
  backend = await startFakeBackend();
});
afterAll(() => backend.close());

const ask = (request: Partial<ChatRequest> = {}, profile: GivenProfile = {}) =>
  createOpenAiChatModels([
    modelServer(
      { baseUrl: backend.baseUrl, apiKey: async () => undefined, silenceMilliseconds: 400, profile },
      "large",
      "small",
    ),
  ]).reply({ ...chatRequest, ...request }, { signal: new AbortController().signal });

const tool = { ...priceTool, strict: undefined };
const wireCall = { id: "call_1", type: "function", function: { name: "get_market_price", arguments: "{}" } };

const calling = (calls: readonly unknown[], content: string | null = null, reason = "tool_calls") => {
  const { choices, ...rest } = completion(content, reason);
  return {
    ...rest,
    choices: choices.map((choice) => ({ ...choice, message: { content, tool_calls: calls } })),
  };
};

describe("a model that is offered tools", () => {
  it("gets them in the format of the OpenAI API", async () => {
    backend.behave(responding(200, completion("1,200")));
    await ask({
      messages: [
        { role: "user", content: "Price?", name: "amina" },
        {
          role: "assistant",
          content: "",
          toolCalls: [{ id: "call_1", name: "get_market_price", arguments: "{}" }],
        },
        { role: "tool", content: "1,200", toolCallId: "call_1" },
        { role: "assistant", content: "It is 1,200.", toolCalls: [] },
      ],
      tools: [tool],
      toolChoice: { name: "get_market_price" },
      parallelToolCalls: false,
      responseFormat: {
        type: "json_schema",
        name: "price",
        description: undefined,
        schema: { type: "object" },
        strict: true,
      },
      seed: 7,
      presencePenalty: 1,
      frequencyPenalty: -1,
      reasoningEffort: "low",
    });
    expect(JSON.parse(backend.received[0]?.body ?? "")).toEqual({
      model: "small",
      messages: [
        { role: "user", content: "Price?", name: "amina" },
        { role: "assistant", content: null, tool_calls: [wireCall] },
        { role: "tool", content: "1,200", tool_call_id: "call_1" },
        { role: "assistant", content: "It is 1,200." },
      ],
      temperature: 0.3,
      tools: [{ type: "function", function: priceTool }],
      tool_choice: { type: "function", function: { name: "get_market_price" } },
      parallel_tool_calls: false,
      response_format: {
        type: "json_schema",
        json_schema: { name: "price", schema: { type: "object" }, strict: true },
      },
      seed: 7,
      presence_penalty: 1,
      frequency_penalty: -1,
      reasoning_effort: "low",
      stream: false,
    });
  });

  it("may call some instead of replying, or as well", async () => {
    backend.behave(responding(200, calling([wireCall])), responding(200, calling([wireCall], "I ask.")));
    const toolCalls = [{ id: "call_1", name: "get_market_price", arguments: "{}" }];
    expect(await ask({ tools: [tool] })).toMatchObject({ text: "", toolCalls, finishReason: "tool_calls" });
    expect(await ask({ tools: [tool] })).toMatchObject({ text: "I ask.", toolCalls });
  });

  it.each([
    ["arguments as JSON that is not packed in a text", { name: "x", arguments: { a: 1 } }, '{"a":1}'],
    ["no arguments", { name: "x" }, "{}"],
    ["empty arguments", { name: "x", arguments: "" }, "{}"],
  ])("may have a server that sends %s, no id, and another reason for the end", async (_how, called, text) => {
    backend.behave(responding(200, calling([{ function: called }], "", "stop")));
    expect(await ask({ tools: [tool] })).toMatchObject({
      toolCalls: [{ id: expect.stringMatching(/^call_[0-9a-f]{32}$/), name: "x", arguments: text }],
      finishReason: "tool_calls",
    });
  });

  it("is cut by the limit of tokens like any other", async () => {
    backend.behave(responding(200, calling([wireCall], null, "length")));
    expect(await ask({ tools: [tool] })).toMatchObject({ finishReason: "length" });
  });

  it("returns no usable reply with calls that have no name", async () => {
    backend.behave(responding(200, calling([{ id: "x", function: {} }])));
    await expect(ask({ tools: [tool] })).rejects.toMatchObject({ code: "external_service_error" });
  });
});

describe("what engines know beyond the OpenAI API", () => {
  const engine = { top_k: 40, min_p: 0.05, chat_template_kwargs: { enable_thinking: false } };

  it("goes to a server whose profile says that it knows it", async () => {
    backend.behave(responding(200, completion("Good")));
    await ask({ engine }, { chat: { parameters: ["top_k", "min_p", "chat_template_kwargs"] } });
    expect(JSON.parse(backend.received[0]?.body ?? "")).toMatchObject(engine);
  });

  it("is refused by its name for any other server, which gets nothing", async () => {
    backend.behave(responding(200, completion("Good")));
    await expect(ask({ engine }, { chat: { parameters: ["top_k"] } })).rejects.toMatchObject({
      code: "unsupported_parameter",
      param: "min_p",
      message: "The model's server does not know `min_p`.",
    });
    expect(backend.received).toEqual([]);
  });
});

describe("a model that was offered none", () => {
  it("has called none, regardless of its server's reason", async () => {
    backend.behave(responding(200, calling([wireCall], "Hello")), responding(200, calling([wireCall])));
    const reply = await ask();
    expect(reply).toMatchObject({ text: "Hello", finishReason: "stop" });
    expect(reply.toolCalls).toBeUndefined();
    await expect(ask()).rejects.toMatchObject({ code: "external_service_error" });
  });
});

describe("what a server refuses by name", () => {
  const format = { type: "json_object" } as const;
  it.each([
    [400, '"auto" tool choice requires --enable-auto-tool-choice', { tools: [tool] }, "tools"],
    [
      400,
      '"auto" tool choice requires --enable-auto-tool-choice',
      { tools: [tool], toolChoice: "auto" },
      "tool_choice",
    ],
    [500, "tools param requires --jinja flag", { tools: [tool] }, "tools"],
    [400, "registry/llama does not support tools", { tools: [tool], seed: 1 }, "tools"],
    [422, "response_format is not supported", { responseFormat: format }, "response_format"],
    [501, "Grammar is not implemented", { responseFormat: format }, "response_format"],
    [400, "Unrecognized request argument supplied: seed", { seed: 1, tools: [tool] }, "seed"],
    [400, "presence_penalty must be 0", { presencePenalty: 1 }, "presence_penalty"],
    [
      400,
      "parallel_tool_calls is unknown",
      { tools: [tool], parallelToolCalls: true },
      "parallel_tool_calls",
    ],
  ] as const)("is refused here as well: %i %s", async (status, message, request, param) => {
    backend.behave(responding(status, { error: { message } }));
    const refusal = await ask(request).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(AppError);
    expect(refusal).toMatchObject({ status: 400, code: "unsupported_parameter", param });
  });

  it.each([
    [400, "This model's maximum context length is 4096 tokens (3000 in the messages, 2000 in the tools)"],
    [400, "Conversation roles must alternate"],
    [503, "tools are loading"],
    [500, "Segmentation fault in tools"],
  ])("is not refused because of other words: %i %s", async (status, message) => {
    backend.behave(responding(status, { error: { message } }));
    await expect(ask({ tools: [tool] })).rejects.not.toMatchObject({ code: "unsupported_parameter" });
  });

  it("is not what was not sent", async () => {
    backend.behave(responding(400, { error: { message: "tools are not supported" } }));
    await expect(ask()).rejects.toMatchObject({ code: "external_service_error" });
  });
});

const chunk = (delta: unknown, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
const piece = (index: number | undefined, text: string, head: { id?: string; name?: string } = {}) => ({
  index,
  ...(head.id ? { id: head.id } : {}),
  function: { ...(head.name ? { name: head.name } : {}), arguments: text },
});

/** The events of a stream that arrives byte by byte. */
const eventsOf = (chunks: readonly string[], hasTools = true) => {
  const toolNames = ["one", "two", "get_weather"];
  const reply = new StreamedResponse({ thinksFirst: false, hasTools, toolNames });
  for (const character of [...chunks, "data: [DONE]\n\n"].join("")) reply.read(character);
  return [...(reply.take() ?? []), ...reply.end()];
};

describe("a streamed reply that calls tools", () => {
  it("has each call with its id and name, then its arguments as they come", () => {
    const events = eventsOf([
      chunk({ role: "assistant", content: null }),
      chunk({ content: "I " }),
      chunk({ content: "ask." }),
      chunk({ tool_calls: [piece(0, "", { id: "a", name: "one" })] }),
      chunk({ tool_calls: [piece(0, '{"x":')] }),
      chunk({ tool_calls: [piece(0, "1}")] }),
      chunk({ tool_calls: [piece(1, "{}", { id: "b", name: "two" }), piece(0, "")] }),
      chunk({}, "tool_calls"),
    ]);
    expect(events).toEqual([
      { type: "text-delta", text: "I " },
      { type: "text-delta", text: "ask." },
      { type: "tool-call", index: 0, call: { id: "a", name: "one", arguments: "" } },
      { type: "tool-call-delta", index: 0, arguments: '{"x":' },
      { type: "tool-call-delta", index: 0, arguments: "1}" },
      { type: "tool-call", index: 1, call: { id: "b", name: "two", arguments: "{}" } },
      { type: "finish", finishReason: "tool_calls" },
    ]);
  });

  it("may come from a server that numbers no calls, sends no ids, and ends with another reason", () => {
    const events = eventsOf([
      chunk({ tool_calls: [piece(0, "{}", { id: "a", name: "one" })] }),
      chunk({ tool_calls: [piece(0, "{}", { id: "b", name: "two" })] }),
      chunk({ tool_calls: [{ index: 3, function: { name: "four", arguments: { a: 1 } } }] }),
      chunk({}, "stop"),
    ]);
    expect(events).toMatchObject([
      { index: 0, call: { id: "a", name: "one" } },
      { index: 1, call: { id: "b", name: "two" } },
      { index: 2, call: { id: expect.stringMatching(/^call_/), name: "four", arguments: '{"a":1}' } },
      { type: "finish", finishReason: "tool_calls" },
    ]);
  });

  it.each(["", '""'])("may come as nothing but names, with %j for arguments", (none) => {
    const events = eventsOf([
      chunk({ tool_calls: [{ function: { name: "one", arguments: none } }] }),
      chunk({ tool_calls: [{ function: { name: "two", arguments: none } }] }),
      chunk({}, "tool_calls"),
    ]);
    expect(events).toMatchObject([
      { type: "tool-call", index: 0, call: { name: "one" } },
      { type: "tool-call", index: 1, call: { name: "two" } },
      { type: "tool-call-delta", index: 0, arguments: "{}" },
      { type: "tool-call-delta", index: 1, arguments: "{}" },
      { type: "finish", finishReason: "tool_calls" },
    ]);
  });

  it("is broken off when it does not say what it calls", () => {
    expect(() => eventsOf([chunk({ tool_calls: [piece(0, "{}", { id: "a" })] })])).toThrow(AppError);
  });

  it("calls nothing where no tool was offered", () => {
    const chunks = [
      chunk({ content: "Hello" }),
      chunk({ tool_calls: [piece(0, "{}", { id: "a", name: "x" })] }),
      chunk({}, "tool_calls"),
    ];
    expect(eventsOf(chunks, false)).toEqual([
      { type: "text-delta", text: "Hello" },
      { type: "finish", finishReason: "stop" },
    ]);
  });
});
