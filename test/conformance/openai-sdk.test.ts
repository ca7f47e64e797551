import OpenAI, { toFile } from "openai";
import { zodFunction, zodResponseFormat, zodTextFormat } from "openai/helpers/zod";
import { beforeAll, describe, expect, inject, it } from "vitest";
import * as z from "zod";
import { baseUrl, sharedAccount } from "../support/client.ts";
import { compareWithReadme } from "../support/client-rows.ts";
import { readAll } from "../support/read-all.ts";
import { decodeAudio } from "../support/test-audio.ts";
import { priceArguments, priceQuestion, priceReply, priceTool } from "../support/tools.ts";

const question = "How do you say 'thank you' in Luganda?";
const messages = [{ role: "user" as const, content: question }];
const model = "lang-14b";

const doors = [
  ["the REST API", baseUrl],
  ["the function URL", inject("chatStreamUrl")],
] as const;

const chatTool = { type: "function" as const, function: priceTool };
const responseTool = { type: "function" as const, strict: null, ...priceTool };
const price = z.object({ crop: z.string(), market: z.enum(["Gulu", "Kampala"]), shillings: z.int() });

// The sample server's reply is predictable; a model's is not.
const isLocal = inject("isLocal");

compareWithReadme({ "`openai` for Node": /^openai for Node/ });

describe.each(doors)("openai for Node through %s", (_name, door) => {
  let token: string;
  let openai: OpenAI;
  beforeAll(async () => {
    ({ token } = await sharedAccount());
    openai = new OpenAI({ baseURL: `${door}/v1`, apiKey: token, maxRetries: 0 });
  });

  describe("chat completions", () => {
    it("returns a whole reply", async () => {
      const { choices, usage } = await openai.chat.completions.create({ model, messages });
      expect(choices[0]?.message.content?.trim()).not.toBe("");
      expect(choices[0]?.finish_reason).toBe("stop");
      expect(usage?.total_tokens).toBeGreaterThan(0);
    });

    it("streams a reply, without token counts unless requested", async () => {
      let text = "";
      for await (const { choices } of await openai.chat.completions.create({
        model,
        messages,
        stream: true,
      })) {
        // As most programs read a stream: they expect a choice in every chunk.
        const [choice] = choices;
        if (!choice) throw new Error("A chunk without a choice was not asked for.");
        text += choice.delta.content ?? "";
      }
      expect(text.trim()).not.toBe("");
    });

    it("streams the token counts last when requested", async () => {
      const stream = await openai.chat.completions.create({
        model,
        messages,
        stream: true,
        stream_options: { include_usage: true },
      });
      const chunks = await readAll(stream);
      expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: expect.any(Number) } });
      expect(chunks.filter(({ choices }) => choices.length === 0)).toHaveLength(1);
    });

    it.runIf(isLocal)("calls a tool, and uses its result in the reply", async () => {
      const question = [{ role: "user" as const, content: priceQuestion }];
      const { choices } = await openai.chat.completions.create({
        model,
        messages: question,
        tools: [chatTool],
      });
      const [choice] = choices;
      expect(choice?.finish_reason).toBe("tool_calls");
      const [call] = choice?.message.tool_calls ?? [];
      if (!choice || call?.type !== "function") throw new Error("No function was called.");
      expect(call.function.name).toBe("get_market_price");
      expect(JSON.parse(call.function.arguments)).toEqual(priceArguments);
      const reply = await openai.chat.completions.create({
        model,
        tools: [chatTool],
        messages: [...question, choice.message, { role: "tool", tool_call_id: call.id, content: priceReply }],
      });
      expect(reply.choices[0]?.message.content).toContain(priceReply);
    });

    it.runIf(isLocal)("streams the call of a tool", async () => {
      const stream = openai.chat.completions.stream({
        model,
        messages: [{ role: "user", content: priceQuestion }],
        tools: [chatTool],
        parallel_tool_calls: false,
      });
      let pieces = 0;
      stream.on("tool_calls.function.arguments.delta", () => {
        pieces += 1;
      });
      const { choices } = await stream.finalChatCompletion();
      expect(choices[0]?.finish_reason).toBe("tool_calls");
      const [call] = choices[0]?.message.tool_calls ?? [];
      expect(call?.type === "function" && JSON.parse(call.function.arguments)).toEqual(priceArguments);
      expect(pieces).toBeGreaterThan(1);
    });

    it.runIf(isLocal)("is sent back the call of a tool as the package has read it", async () => {
      const question = { role: "user" as const, content: priceQuestion };
      const tools = [zodFunction({ name: priceTool.name, parameters: price.omit({ shillings: true }) })];
      const { choices } = await openai.chat.completions.parse({ model, messages: [question], tools });
      const message = choices[0]?.message;
      const [call] = message?.tool_calls ?? [];
      if (!message || call?.type !== "function") throw new Error("No function was called.");
      expect(call.function.parsed_arguments).toEqual(priceArguments);
      const result = { role: "tool" as const, tool_call_id: call.id, content: priceReply };
      const reply = await openai.chat.completions.create({
        model,
        tools,
        messages: [question, message, result],
      });
      expect(reply.choices[0]?.message.content).toContain(priceReply);
    });

    it.runIf(isLocal)("runs tools automatically until there is a final reply", async () => {
      const prices: unknown[] = [];
      const runner = openai.chat.completions.runTools({
        model,
        messages: [{ role: "user", content: priceQuestion }],
        tools: [
          zodFunction({
            name: priceTool.name,
            parameters: price.omit({ shillings: true }),
            function: (question) => {
              prices.push(question);
              return priceReply;
            },
          }),
        ],
      });
      expect(await runner.finalContent()).toContain(priceReply);
      expect(prices).toEqual([priceArguments]);
    });

    it.runIf(isLocal)("returns structured output", async () => {
      const { choices } = await openai.chat.completions.parse({
        model,
        messages: [{ role: "user", content: "Maize in Gulu costs 1200 shillings." }],
        response_format: zodResponseFormat(price, "price"),
      });
      expect(choices[0]?.message.parsed).toMatchObject({ market: "Gulu", shillings: 1_200 });
      const json = await openai.chat.completions.create({
        model,
        messages: [...messages, { role: "user", content: "As JSON." }],
        response_format: { type: "json_object" },
      });
      expect(JSON.parse(json.choices[0]?.message.content ?? "")).toBeTypeOf("object");
    });

    it("stops when aborted", async () => {
      const stream = await openai.chat.completions.create({ model, messages, stream: true });
      let chunks = 0;
      for await (const _chunk of stream) {
        chunks += 1;
        stream.controller.abort();
      }
      expect(chunks).toBeGreaterThan(0);
      const request = openai.chat.completions.create({ model, messages }, { signal: AbortSignal.abort() });
      await expect(request).rejects.toBeInstanceOf(OpenAI.APIUserAbortError);
    });
  });

  describe("responses", () => {
    it("returns a whole reply", async () => {
      const response = await openai.responses.create({ model, input: question, instructions: "Be brief." });
      expect(response).toMatchObject({ status: "completed", error: null });
      expect(response.output_text.trim()).not.toBe("");
      expect(response.usage?.total_tokens).toBeGreaterThan(0);
    });

    it("streams the documented events", async () => {
      const stream = await openai.responses.create({ model, input: question, stream: true });
      const events = await readAll(stream);
      const kinds = events.map(({ type }) => type).filter((type, at, all) => type !== all[at - 1]);
      expect(kinds).toEqual([
        "response.created",
        "response.in_progress",
        "response.output_item.added",
        "response.content_part.added",
        "response.output_text.delta",
        "response.output_text.done",
        "response.content_part.done",
        "response.output_item.done",
        "response.completed",
      ]);
      expect(events.map((event) => event.sequence_number)).toEqual(events.map((_event, index) => index));
      const text = events.map((event) => (event.type === "response.output_text.delta" ? event.delta : ""));
      const last = events.at(-1);
      expect(last?.type === "response.completed" && last.response.output[0]).toMatchObject({
        content: [{ text: text.join("") }],
      });
    });

    it.runIf(isLocal)("calls a tool, and uses its result in the reply", async () => {
      const input: OpenAI.Responses.ResponseInput = [{ role: "user", content: priceQuestion }];
      const { output } = await openai.responses.create({ model, input, tools: [responseTool] });
      const [call] = output;
      if (call?.type !== "function_call") throw new Error("No function was called.");
      expect(JSON.parse(call.arguments)).toEqual(priceArguments);
      const reply = await openai.responses.create({
        model,
        tools: [responseTool],
        store: false,
        input: [...input, call, { type: "function_call_output", call_id: call.call_id, output: priceReply }],
      });
      expect(reply.output_text).toContain(priceReply);
    });

    it.runIf(isLocal)("streams the call of a tool, and puts it together", async () => {
      const stream = openai.responses.stream({ model, input: priceQuestion, tools: [responseTool] });
      let pieces = 0;
      stream.on("response.function_call_arguments.delta", () => {
        pieces += 1;
      });
      const { output, status } = await stream.finalResponse();
      expect(status).toBe("completed");
      expect(output).toMatchObject([
        { type: "function_call", name: "get_market_price", arguments: JSON.stringify(priceArguments) },
      ]);
      expect(pieces).toBeGreaterThan(1);
    });

    it.runIf(isLocal)("returns structured output", async () => {
      const { output_parsed } = await openai.responses.parse({
        model,
        input: "Maize in Gulu costs 1200 shillings.",
        text: { format: zodTextFormat(price, "price") },
      });
      expect(output_parsed).toMatchObject({ market: "Gulu", shillings: 1_200 });
    });
  });

  describe("errors", () => {
    const errorOf = (request: Promise<unknown>): Promise<unknown> => request.catch((error: unknown) => error);

    it("are of the class that a developer expects, with the parameter", async () => {
      const unsupported = await errorOf(openai.chat.completions.create({ model, messages, n: 2 }));
      expect(unsupported).toBeInstanceOf(OpenAI.BadRequestError);
      expect(unsupported).toMatchObject({
        code: "unsupported_parameter",
        param: "n",
        type: "invalid_request_error",
        message: expect.stringContaining("Only one reply"),
      });
      const stored = await errorOf(openai.responses.create({ model, input: "x", store: true }));
      expect(stored).toMatchObject({ status: 400, param: "store" });
      const stranger = new OpenAI({ baseURL: `${door}/v1`, apiKey: "nonsense", maxRetries: 0 });
      const refused = await errorOf(stranger.models.list());
      expect(refused).toBeInstanceOf(OpenAI.AuthenticationError);
      expect(refused).toMatchObject({ code: "invalid_api_key" });
    });

    it("name what is served instead of operations that are not", async () => {
      const requests = [
        openai.embeddings.create({ model: "text-embedding-3-small", input: "x" }),
        openai.images.generate({ prompt: "x" }),
        openai.moderations.create({ input: "x" }),
        openai.files.list(),
        openai.completions.create({ model, prompt: "x" }),
        openai.batches.list(),
        openai.fineTuning.jobs.list(),
      ];
      for (const error of await Promise.all(requests.map(errorOf))) {
        expect(error).toBeInstanceOf(OpenAI.NotFoundError);
        expect(error).toMatchObject({
          code: "unknown_url",
          type: "invalid_request_error",
          message: expect.stringContaining("POST /v1/chat/completions"),
        });
      }
    });
  });

  describe("models", () => {
    it("lists the models", async () => {
      const ids = (await readAll(await openai.models.list())).map(({ id }) => id);
      expect(ids).toEqual(["lang-14b", "lang-9b", "stt-51", "tts-20"]);
    });

    it("are looked up", async () => {
      expect(await openai.models.retrieve("stt-51:lug")).toMatchObject({ id: "stt-51:lug" });
      await expect(openai.models.retrieve("gpt-4o")).rejects.toMatchObject({
        status: 404,
        code: "model_not_found",
      });
    });
  });
});

describe("openai for Node, audio", () => {
  const connect = async () => {
    const { token } = await sharedAccount();
    return new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey: token, maxRetries: 0 });
  };
  const input = "Wasuze otya nno?";

  it("speaks", async () => {
    const speech = (await connect()).audio.speech;
    const response = await speech.create({ model: "gpt-4o-mini-tts", voice: "alloy", input });
    const audio = await decodeAudio("mp3", Buffer.from(await response.arrayBuffer()));
    expect(audio.samples.length / audio.sampleRate).toBeGreaterThan(0.5);
  });

  it.runIf(isLocal)("transcribes a recording", async () => {
    const { audio } = await connect();
    const spoken = await audio.speech.create({
      model: "tts-1",
      voice: "alloy",
      input,
      response_format: "wav",
    });
    const file = await toFile(spoken, "recording.wav");
    expect((await audio.transcriptions.create({ file, model: "stt-51:lug" })).text).toBe(input);
  });
});
