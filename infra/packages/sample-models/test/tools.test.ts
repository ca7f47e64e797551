import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type SampleInference, startSampleInference } from "../src/index.ts";

let server: SampleInference;
let openai: OpenAI;

beforeAll(async () => {
  server = await startSampleInference({ tokenDelayMilliseconds: 0 });
  openai = new OpenAI({ baseURL: server.baseUrl, apiKey: "any", maxRetries: 0 });
});

afterAll(() => server.close());

type Request = OpenAI.ChatCompletionCreateParamsNonStreaming;

const tool = (name: string, properties: Record<string, unknown> = {}): OpenAI.ChatCompletionFunctionTool => ({
  type: "function",
  function: { name, parameters: { type: "object", properties } },
});

const weather = tool("get_weather", { city: { type: "string" }, unit: { enum: ["celsius", "fahrenheit"] } });
const market = tool("list_market_prices", { crop: { type: "string" }, kilograms: { type: "integer" } });

const ask = async (content: string, options: Partial<Request> = {}) => {
  const { choices, usage } = await openai.chat.completions.create({
    model: "sample-14b",
    messages: [{ role: "user", content }],
    ...options,
  });
  const [choice] = choices;
  const calls = (choice?.message.tool_calls ?? []).flatMap((call) =>
    call.type === "function"
      ? [{ id: call.id, name: call.function.name, arguments: JSON.parse(call.function.arguments) }]
      : [],
  );
  return { calls, content: choice?.message.content, reason: choice?.finish_reason, usage };
};

const question = "What is the weather in Kampala in fahrenheit?";

describe("A tool that is offered", () => {
  it("is called when the message speaks of it, with the names and choices of the message", async () => {
    const { calls, content, reason, usage } = await ask(question, { tools: [market, weather] });
    expect(calls).toEqual([
      {
        id: expect.stringMatching(/^call_[0-9a-f]{32}$/),
        name: "get_weather",
        arguments: { city: "Kampala", unit: "fahrenheit" },
      },
    ]);
    expect({ content, reason }).toEqual({ content: null, reason: "tool_calls" });
    expect(usage?.completion_tokens).toBeGreaterThan(0);
  });

  it("is not called when the message speaks of something else, or nothing may be called", async () => {
    expect(await ask("Good morning", { tools: [weather] })).toMatchObject({ calls: [], reason: "stop" });
    expect((await ask(question, { tools: [weather], tool_choice: "none" })).calls).toEqual([]);
  });

  it("is called in any case when one must be", async () => {
    const named = { type: "function", function: { name: "list_market_prices" } } as const;
    const must = await ask("Good morning", { tools: [weather, market], tool_choice: "required" });
    expect(must.calls).toMatchObject([{ name: "get_weather" }]);
    const chosen = await ask('I have 12.5 kg of "maize"', { tools: [weather, market], tool_choice: named });
    expect(chosen.calls).toMatchObject([
      { name: "list_market_prices", arguments: { crop: "maize", kilograms: 12 } },
    ]);
  });

  it("is called together with other requested ones, unless one at a time was requested", async () => {
    const content = "Compare the weather in Gulu with the market prices there";
    const tools = [weather, market];
    expect((await ask(content, { tools })).calls).toHaveLength(2);
    expect((await ask(content, { tools, parallel_tool_calls: false })).calls).toHaveLength(1);
  });

  it("is mentioned when it has returned a result", async () => {
    const calls = [
      { id: "call_1", type: "function", function: { name: "get_weather", arguments: "{}" } },
    ] as const;
    const { content } = await ask("", {
      tools: [weather],
      messages: [
        { role: "user", content: question },
        { role: "assistant", tool_calls: [...calls] },
        { role: "tool", tool_call_id: "call_1", content: "27 °C, light rain" },
      ],
    });
    expect(content).toBe(
      'The tool returned "27 °C, light rain". This is the sample server, not a language model.',
    );
  });

  it("is called in a stream piece by piece", async () => {
    const stream = openai.chat.completions.stream({
      model: "sample-14b",
      messages: [{ role: "user", content: question }],
      tools: [weather],
    });
    let pieces = 0;
    stream.on("tool_calls.function.arguments.delta", () => {
      pieces += 1;
    });
    const { choices } = await stream.finalChatCompletion();
    expect(choices[0]?.finish_reason).toBe("tool_calls");
    const [call] = choices[0]?.message.tool_calls ?? [];
    expect(call?.type === "function" && JSON.parse(call.function.arguments)).toEqual({
      city: "Kampala",
      unit: "fahrenheit",
    });
    expect(pieces).toBeGreaterThan(2);
  });

  it("must exist for a choice of it", async () => {
    await expect(ask(question, { tool_choice: "auto" })).rejects.toMatchObject({
      status: 400,
      param: "tool_choice",
    });
  });
});

describe("JSON", () => {
  const replyTo = async (content: string, schema: Record<string, unknown>): Promise<unknown> => {
    const format = { type: "json_schema", json_schema: { name: "answer", schema } } as const;
    return JSON.parse((await ask(content, { response_format: format })).content ?? "");
  };

  it("that has a schema has its form, with the reply as its texts", async () => {
    expect(
      await replyTo("Translate from English to Luganda: Thank you", {
        type: "object",
        properties: {
          translation: { type: "string" },
          language: { $ref: "#/$defs/language" },
          words: { type: "integer", minimum: 1 },
          notes: { type: "array", items: { type: ["string", "null"] }, minItems: 2 },
          isSure: { type: "boolean" },
          source: { anyOf: [{ type: "null" }, { const: "phrasebook" }] },
        },
        $defs: { language: { enum: ["Acholi", "Luganda"] } },
      }),
    ).toEqual({
      translation: "Webale",
      language: "Luganda",
      words: 1,
      notes: ["Webale", "Webale"],
      isSure: false,
      source: "phrasebook",
    });
  });

  it("comes to an end also for a schema that contains itself several times", async () => {
    const self = { $ref: "#" };
    const value = await replyTo("Hello", {
      type: "object",
      properties: { a: self, b: self, c: self, d: self },
    });
    expect(JSON.stringify(value).length).toBeLessThan(100_000);
  });

  it("without a schema is an object with the reply", async () => {
    const { content } = await ask("Translate from English to Luganda: Thank you", {
      response_format: { type: "json_object" },
    });
    expect(JSON.parse(content ?? "")).toEqual({ answer: "Webale" });
  });
});
