import { describe, expect, it, vi } from "vitest";
import { chatEndpoints } from "../../../functions/chat/endpoints.ts";
import { furtherChatEndpoints } from "../../../functions/chat/further-endpoints.ts";
import { type ChatModels, defaultSystemMessage } from "../../../shared/models/inference/chat.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";
import { logger } from "../../../shared/platform/telemetry/logger.ts";
import { authorizedCaller, send } from "../../support/send.ts";
import { priceParameters, priceTool } from "../../support/tools.ts";

const usage = { prompt_tokens: 11, completion_tokens: 3, total_tokens: 14 };
const call = { id: "call_1", name: "get_market_price", arguments: '{"crop":"Maize"}' };

const setup = () => {
  const reply = vi
    .fn<ChatModels["reply"]>()
    .mockResolvedValue({ text: "Gyebale ko", finishReason: "stop", usage });
  const streamReply = vi.fn<ChatModels["streamReply"]>().mockRejectedValue(new Error("not to be called"));
  const post = (path: string) => (body: object) =>
    send(
      [
        ...chatEndpoints({ models: { reply, streamReply } }),
        ...furtherChatEndpoints({ models: { reply, streamReply } }),
      ],
      { path, body, authorizer: authorizedCaller },
    );
  return {
    reply,
    received: () => reply.mock.calls[0]?.[0],
    chat: (body: object) =>
      post("/v1/chat/completions")({ messages: [{ role: "user", content: "Hello" }], ...body }),
    respond: (body: object) => post("/v1/responses")({ input: "Hello", ...body }),
  };
};

const tools = [{ type: "function", function: priceTool }];
const reportedTool = { ...priceTool, strict: undefined };

describe("POST /v1/chat/completions", () => {
  it("passes on what only some servers can do", async () => {
    const { chat, received } = setup();
    const response = await chat({
      tools,
      tool_choice: { type: "function", function: { name: "get_market_price" } },
      parallel_tool_calls: false,
      response_format: {
        type: "json_schema",
        json_schema: { name: "price", strict: true, schema: priceParameters },
      },
      seed: 7,
      presence_penalty: 0.5,
      frequency_penalty: -0.5,
      reasoning_effort: "low",
      stop: ["\n"],
      max_completion_tokens: 9,
    });
    expect(response.status, JSON.stringify(response.body)).toBe(200);
    expect(received()).toMatchObject({
      tools: [reportedTool],
      toolChoice: { name: "get_market_price" },
      parallelToolCalls: false,
      responseFormat: { type: "json_schema", name: "price", strict: true, schema: priceParameters },
      seed: 7,
      presencePenalty: 0.5,
      frequencyPenalty: -0.5,
      reasoningEffort: "low",
      stop: ["\n"],
      maxTokens: 9,
    });
  });

  it.each(["chat", "respond"] as const)(
    "passes on what engines know beyond the OpenAI API: %s",
    async (route) => {
      const routes = setup();
      const engine = {
        top_k: 40,
        min_p: 0.05,
        repetition_penalty: 1.1,
        chat_template_kwargs: { enable_thinking: false },
        enable_thinking: false,
      };
      const response = await routes[route](engine);
      expect(response.status, JSON.stringify(response.body)).toBe(200);
      expect(routes.received()?.engine).toEqual(engine);
      const { received, ...others } = setup();
      await others[route]({ top_k: null });
      expect(received()?.engine).toBeUndefined();
    },
  );

  it("reads a conversation in which tools were called, and counts `developer` as `system`", async () => {
    const { chat, received } = setup();
    await chat({
      messages: [
        { role: "developer", content: "Be brief." },
        { role: "user", content: [{ type: "text", text: "Price?" }], name: "amina" },
        {
          role: "assistant",
          content: null,
          refusal: null,
          annotations: [],
          tool_calls: [
            { id: "call_1", type: "function", function: { name: call.name, arguments: call.arguments } },
          ],
        },
        { role: "tool", tool_call_id: "call_1", name: call.name, content: "" },
        { role: "system", content: " " },
      ],
    });
    expect(received()?.messages).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: "Price?", name: "amina" },
      { role: "assistant", content: "", toolCalls: [call] },
      { role: "tool", content: "", toolCallId: "call_1" },
    ]);
  });

  it("mentions no tools where there are none, and uses the service's own instruction", async () => {
    const { chat, received } = setup();
    await chat({
      tools: [],
      tool_choice: "auto",
      parallel_tool_calls: true,
      response_format: { type: "text" },
    });
    expect(received()).toEqual({
      model: "lang-14b",
      messages: [
        { role: "system", content: defaultSystemMessage },
        { role: "user", content: "Hello" },
      ],
      temperature: 0.3,
    });
  });

  it("has the calls of tools, and omits uncounted tokens", async () => {
    const { reply, chat } = setup();
    reply.mockResolvedValue({ text: "", toolCalls: [call], finishReason: "tool_calls", usage: undefined });
    const { body } = await chat({ tools });
    expect(body.choices).toEqual([
      {
        index: 0,
        message: {
          role: "assistant",
          content: null,
          refusal: null,
          tool_calls: [
            { id: "call_1", type: "function", function: { name: call.name, arguments: call.arguments } },
          ],
        },
        logprobs: null,
        finish_reason: "tool_calls",
      },
    ]);
    expect(body).not.toHaveProperty("usage");
  });

  it("reports what the model's server refuses", async () => {
    const { reply, chat } = setup();
    reply.mockRejectedValue(new AppError("unsupported_parameter", { message: "No.", param: "tools" }));
    expect(await chat({ tools })).toMatchObject({ status: 400, body: { error: { param: "tools" } } });
  });

  const long = "x".repeat(200_001);
  const schema = { type: "object", description: long };
  it.each([
    ["a tool's description", { tools: [{ type: "function", function: { name: "a", description: long } }] }],
    ["a tool's parameters", { tools: [{ type: "function", function: { name: "a", parameters: schema } }] }],
    [
      "a schema's names",
      { response_format: { type: "json_schema", json_schema: { name: "a", schema: { [long]: {} } } } },
    ],
    ["the end of the reply", { stop: long }],
    ["a sender's name", { messages: [{ role: "user", content: "Hello", name: long }] }],
  ])("counts %s as part of the request's length", async (_what, body) => {
    const { chat, reply } = setup();
    expect(await chat(body)).toMatchObject({
      body: { error: { param: "messages", message: expect.stringContaining("200,000 characters") } },
    });
    expect(reply).not.toHaveBeenCalled();
  });

  it.each([
    [200, 200],
    [201, 400],
  ])("with %i references in a schema has status %i", async (count, status) => {
    const { chat } = setup();
    const anyOf = Array.from({ length: count }, () => ({ $ref: "#/$defs/a" }));
    const tool = { name: "a", parameters: { $defs: { a: { type: "string" } }, anyOf } };
    expect(await chat({ tools: [{ type: "function", function: tool }] })).toMatchObject({ status });
  });

  it("counts what tools are called with as part of the conversation's length", async () => {
    const { chat } = setup();
    const tool_calls = [
      { id: "x", type: "function", function: { name: "x", arguments: "x".repeat(200_000) } },
    ];
    const messages = [
      { role: "user", content: "Hello" },
      { role: "assistant", content: "", tool_calls },
    ];
    expect(await chat({ messages })).toMatchObject({
      status: 400,
      body: { detail: [{ loc: ["body", "messages"], type: "value_error" }] },
    });
  });

  it.each([
    [{ n: 2 }, "n"],
    [{ logprobs: true }, "logprobs"],
    [{ logit_bias: { "50256": -100 } }, "logit_bias.50256"],
    [{ modalities: ["text", "audio"] }, "modalities[1]"],
    [{ audio: { voice: "alloy", format: "wav" } }, "audio"],
    [{ store: true }, "store"],
    [{ functions: [{ name: "x" }] }, "functions"],
    [{ web_search_options: {} }, "web_search_options"],
    [{ mirostat: 2 }, "mirostat"],
    [{ tools: [{ type: "custom", custom: { name: "x" } }] }, "tools[0].type"],
    [{ tool_choice: "required" }, "tool_choice"],
    [
      {
        tools: [{ type: "function", function: priceTool }],
        tool_choice: { type: "function", function: { name: "other" } },
      },
      "tool_choice",
    ],
    [{ response_format: { type: "xml" } }, "response_format.type"],
    [
      { messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: "https://x" } }] }] },
      "messages[0].content[0].type",
    ],
    [
      { messages: [{ role: "assistant", content: "Hi", function_call: { name: "x" } }] },
      "messages[0].function_call",
    ],
  ])("refuses %j by its name", async (body, param) => {
    const reply = await setup().chat(body);
    expect(reply).toMatchObject({ status: 400, body: { error: { code: "unsupported_parameter" } } });
    expect(reply.body.error).toMatchObject({
      param,
      type: "invalid_request_error",
      message: expect.any(String),
    });
    expect(reply.body.detail).toBe(reply.body.error.message);
  });

  const [question, earlierCall] = [
    { role: "user", content: "Hello" },
    { id: "c", type: "function", function: { name: "f", arguments: "{}" } },
  ];
  const called = { role: "assistant", content: "", toolCalls: [{ id: "c", name: "f", arguments: "{}" }] };

  it.each<[string, object, object]>([
    [
      "parts of `@openai/agents`",
      { content: [{ type: "text", text: "x", role: "assistant", refusal: null }] },
      { content: "x" },
    ],
    [
      "reasoning",
      { content: "x", reasoning_content: "hm", reasoning: "hm", reasoning_details: [], thinking_blocks: [] },
      { content: "x" },
    ],
    ["a part of refusal", { content: [{ type: "refusal", refusal: "no" }] }, { content: "no" }],
    ["a refusal", { content: null, refusal: "no" }, { content: "no" }],
    ["an empty refusal", { content: "x", refusal: "" }, { content: "x" }],
    ["audio", { content: "x", audio: { id: "a" } }, { content: "x" }],
    ["calls without a type", { content: null, tool_calls: [{ ...earlierCall, type: undefined }] }, called],
    [
      "calls with more than OpenAI's",
      { content: [], tool_calls: [{ ...earlierCall, extra_content: {}, index: 0 }] },
      called,
    ],
    [
      "calls with an object",
      { tool_calls: [{ ...earlierCall, function: { name: "f", arguments: {} } }] },
      called,
    ],
    [
      "marks of caching, ids and times",
      { content: "x", cache_control: {}, id: "m", timestamp: 1 },
      { content: "x" },
    ],
  ])("ignores in a conversation what has no effect there: %s", async (_, reply, expected) => {
    const { chat, received } = setup();
    const marked = { ...question, cache_control: { type: "ephemeral" }, id: "msg_1" };
    const response = await chat({ messages: [marked, { role: "assistant", ...reply }, question] });
    expect(response.status, JSON.stringify(response.body)).toBe(200);
    expect(received()?.messages.slice(-2)).toMatchObject([{ role: "assistant", ...expected }, question]);
  });

  it("repeats an unknown parameter's name in its message, up to a readable length", async () => {
    const reply = await setup().chat({ [`${"a".repeat(63)}😀${"b".repeat(1_000)}`]: 1 });
    expect(reply.body.detail).toBe(`The parameter '${"a".repeat(63)}\uFFFD' is not known here.`);
  });

  it("reports malformed fields before unsupported ones", async () => {
    const { chat } = setup();
    const response = await chat({ messages: [{ role: "user", content: 5 }], n: 2 });
    expect(response).toMatchObject({
      status: 400,
      body: { detail: [{ loc: ["body", "messages", 0, "content"], type: "value_error" }] },
    });
    expect(response.body.detail).toHaveLength(1);
  });
});

describe("POST /v1/responses", () => {
  it("passes a choice of a tool on by its name alone", async () => {
    const { respond, received } = setup();
    await respond({
      tools: [{ type: "function", ...priceTool }],
      tool_choice: { type: "function", name: "get_market_price" },
    });
    expect(received()?.toolChoice).toStrictEqual({ name: "get_market_price" });
  });

  it("counts its instructions as part of the request's length", async () => {
    const { respond } = setup();
    expect(await respond({ instructions: "x".repeat(200_000) })).toMatchObject({
      body: { error: { param: "input" } },
    });
  });

  it("reads items as a conversation: the calls of one turn are one message", async () => {
    const { received, respond } = setup();
    const response = await respond({
      instructions: "Be brief.",
      input: [
        { role: "user", content: [{ type: "input_text", text: "Price?" }] },
        {
          type: "message",
          id: "msg_1",
          status: "completed",
          role: "assistant",
          content: [{ type: "output_text", text: "I ask.", annotations: [], logprobs: [] }],
        },
        { type: "function_call", id: "fc_1", call_id: "a", name: "one", arguments: "{}" },
        { type: "function_call", id: "fc_2", call_id: "b", name: "two", arguments: "{}" },
        { type: "function_call_output", call_id: "a", output: "1" },
        { type: "function_call_output", call_id: "b", output: [{ type: "input_text", text: "2" }] },
        { type: "function_call", call_id: "c", name: "three", arguments: "{}" },
      ],
    });
    expect(response.status, JSON.stringify(response.body)).toBe(200);
    expect(received()?.messages).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: "Price?" },
      {
        role: "assistant",
        content: "I ask.",
        toolCalls: [
          { id: "a", name: "one", arguments: "{}" },
          { id: "b", name: "two", arguments: "{}" },
        ],
      },
      { role: "tool", content: "1", toolCallId: "a" },
      { role: "tool", content: "2", toolCallId: "b" },
      { role: "assistant", content: "", toolCalls: [{ id: "c", name: "three", arguments: "{}" }] },
    ]);
  });

  it("passes on optional parameters, and repeats the request's fields", async () => {
    const { received, respond } = setup();
    const format = { type: "json_schema", name: "price", strict: true, schema: priceParameters };
    const { body } = await respond({
      model: "lang-9b",
      tools: [{ type: "function", ...priceTool, strict: true }],
      tool_choice: "required",
      parallel_tool_calls: false,
      text: { format, verbosity: "medium" },
      reasoning: { effort: "high", summary: "auto" },
      max_output_tokens: 50,
      metadata: { chat: "7" },
      user: "amina",
    });
    expect(received()).toMatchObject({
      model: "lang-9b",
      tools: [{ ...priceTool, strict: true }],
      toolChoice: "required",
      parallelToolCalls: false,
      responseFormat: { type: "json_schema", name: "price", strict: true },
      reasoningEffort: "high",
      maxTokens: 50,
    });
    expect(body).toMatchObject({
      model: "lang-9b",
      tools: [{ type: "function", ...priceTool, strict: true }],
      tool_choice: "required",
      parallel_tool_calls: false,
      text: { format },
      reasoning: { effort: "high", summary: null },
      max_output_tokens: 50,
      metadata: { chat: "7" },
      user: "amina",
      previous_response_id: null,
    });
  });

  it("accepts a schema of a hundred levels, and refuses an unreadable one", async () => {
    const { reply, respond } = setup();
    const levels = (count: number): object => JSON.parse(`${'{"a":'.repeat(count)}{}${"}".repeat(count)}`);
    const asking = (parameters: object) => respond({ tools: [{ type: "function", name: "x", parameters }] });
    expect((await asking(levels(99))).status).toBe(200);
    expect(await asking(levels(5_000))).toMatchObject({
      status: 400,
      body: { detail: [{ loc: ["body", "tools", 0, "parameters"], type: "value_error" }] },
    });
    expect(reply).toHaveBeenCalledTimes(1);
  });

  it("responds with items: a text, then calls", async () => {
    const { reply, respond } = setup();
    reply.mockResolvedValue({ text: "I ask.", toolCalls: [call], finishReason: "tool_calls", usage });
    expect((await respond({})).body).toMatchObject({
      id: expect.stringMatching(/^resp_[0-9a-f]{32}$/),
      status: "completed",
      completed_at: expect.any(Number),
      incomplete_details: null,
      output: [
        {
          type: "message",
          id: expect.stringMatching(/^msg_/),
          status: "completed",
          content: [{ type: "output_text", text: "I ask.", annotations: [], logprobs: [] }],
        },
        {
          type: "function_call",
          id: expect.stringMatching(/^fc_/),
          status: "completed",
          call_id: "call_1",
          name: call.name,
          arguments: call.arguments,
        },
      ],
      usage: {
        input_tokens: 11,
        input_tokens_details: { cached_tokens: 0 },
        output_tokens: 3,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: 14,
      },
    });
  });

  it.each([
    ["length", "max_output_tokens"],
    ["content_filter", "content_filter"],
  ] as const)("marks a reply that ended for %s as incomplete", async (finishReason, reason) => {
    const { reply, respond } = setup();
    reply.mockResolvedValue({ text: "Gyebale", finishReason, usage: undefined });
    expect((await respond({})).body).toMatchObject({
      status: "incomplete",
      completed_at: null,
      incomplete_details: { reason },
      output: [{ status: "incomplete" }],
      usage: null,
    });
  });

  it.each<[string, object]>([
    ["reasoning", { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "abc" }],
    ["a search of OpenAI's", { type: "web_search_call", id: "ws_1", status: "completed", action: {} }],
  ])("ignores items that OpenAI's models write: %s", async (_, item) => {
    const { respond, received } = setup();
    const response = await respond({
      input: [{ role: "user", content: "Hi" }, item, { role: "user", content: "Hello" }],
    });
    expect(response.status, JSON.stringify(response.body)).toBe(200);
    expect(received()?.messages.slice(-2)).toMatchObject([{ content: "Hi" }, { content: "Hello" }]);
  });

  it("is open to Codex: the model is not offered its own tools, and the log says so", async () => {
    vi.spyOn(logger, "info").mockReturnValue();
    const { respond, received } = setup();
    const shell = { name: "shell", description: "d", strict: false, parameters: { type: "object" } };
    const response = await respond({
      instructions: "You are Codex",
      tools: [
        { type: "function", ...shell },
        {
          type: "custom",
          name: "apply_patch",
          description: "d",
          format: { type: "grammar", syntax: "lark" },
        },
        { type: "web_search", external_web_access: false },
        { type: "namespace", name: "n", tools: [] },
      ],
      tool_choice: "auto",
      parallel_tool_calls: false,
      reasoning: { effort: "medium", summary: "auto", context: "all_turns" },
      text: { verbosity: "low" },
      store: false,
      include: ["reasoning.encrypted_content"],
      prompt_cache_key: "x",
      prompt_cache_options: {},
      safety_identifier: "x",
      service_tier: "auto",
      client_metadata: { x: "y" },
    });
    expect(response.status, JSON.stringify(response.body)).toBe(200);
    expect(response.body.tools).toMatchObject([{ name: "shell" }]);
    expect(received()?.tools).toMatchObject([{ name: "shell" }]);
    expect(logger.info).toHaveBeenCalledWith("chat.tools_left_out", {
      request_id: expect.any(String),
      types: ["custom", "web_search", "namespace"],
    });
  });

  it("ignores members of items that have no effect", async () => {
    const { respond, received } = setup();
    const response = await respond({
      input: [
        { role: "user", content: "Hello", name: "bob" },
        {
          type: "message",
          role: "assistant",
          phase: "final_answer",
          content: [{ type: "refusal", refusal: "no" }],
        },
        {
          type: "function_call",
          call_id: "c",
          name: "f",
          arguments: "{}",
          namespace: null,
          parsed_arguments: null,
        },
        { type: "function_call_output", call_id: "c", output: "1", name: "f" },
      ],
    });
    expect(response.status, JSON.stringify(response.body)).toBe(200);
    expect(received()?.messages.slice(-3)).toMatchObject([
      { role: "user" },
      { role: "assistant", content: "no", toolCalls: [{ id: "c" }] },
      { role: "tool", content: "1" },
    ]);
  });

  it.each([
    [{ store: true }, "store", "store: false"],
    [{ previous_response_id: "resp_1" }, "previous_response_id", "store: false"],
    [{ conversation: "conv_1" }, "conversation", "store: false"],
    [{ input: [{ type: "item_reference", id: "msg_1" }] }, "input[0].id", "store: false"],
    [
      {
        input: [{ role: "user", content: [{ type: "input_image", image_url: "https://x", detail: "auto" }] }],
      },
      "input[0].content[0].type",
      "images",
    ],
    [{ input: [{ type: "computer_call", id: "x" }] }, "input[0].type", "Only messages"],
    [{ tools: [{ type: "time_travel" }] }, "tools[0].type", "function"],
    [{ tool_choice: { type: "web_search" } }, "tool_choice.type", "function"],
    [{ background: true }, "background", "not supported"],
    [{ truncation: "auto" }, "truncation", "never truncated"],
    [{ include: ["message.output_text.logprobs"] }, "include[0]", "text"],
    [{ mirostat: 1 }, "mirostat", "'mirostat' is not known"],
  ])("refuses %j by its name", async (body, param, words) => {
    const reply = await setup().respond(body);
    expect(reply).toMatchObject({ status: 400, body: { error: { code: "unsupported_parameter" } } });
    expect(reply.body.error).toMatchObject({ param, message: expect.stringContaining(words) });
  });
});
