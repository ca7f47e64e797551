import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import {
  APICallError,
  generateSpeech,
  generateText,
  jsonSchema,
  type LanguageModel,
  Output,
  stepCountIs,
  streamText,
  tool,
  transcribe,
} from "ai";
import { beforeAll, describe, expect, inject, it } from "vitest";
import * as z from "zod";
import { baseUrl, sharedAccount, speak } from "../support/client.ts";
import { compareWithReadme } from "../support/client-rows.ts";
import { readAll } from "../support/read-all.ts";
import { decodeAudio } from "../support/test-audio.ts";
import { priceArguments, priceParameters, priceQuestion, priceReply } from "../support/tools.ts";

const prompt = "How do you say 'thank you' in Luganda?";

let token: string;
beforeAll(async () => {
  ({ token } = await sharedAccount());
});

compareWithReadme({
  "`@ai-sdk/openai`": /^@ai-sdk\/openai(?!-)/,
  "`@ai-sdk/openai-compatible`": /^@ai-sdk\/openai-compatible/,
});

/**
 * By default `@ai-sdk/openai` uses the responses API; its conversations refer to stored items unless `store` is
 * false.
 */
const providers: readonly (readonly [string, () => LanguageModel])[] = [
  ["@ai-sdk/openai, responses", () => createOpenAI({ baseURL: `${baseUrl}/v1`, apiKey: token })("lang-14b")],
  ["@ai-sdk/openai, chat", () => createOpenAI({ baseURL: `${baseUrl}/v1`, apiKey: token }).chat("lang-14b")],
  [
    "@ai-sdk/openai-compatible",
    () =>
      createOpenAICompatible({
        name: "language-ai",
        baseURL: `${baseUrl}/v1`,
        apiKey: token,
        includeUsage: true,
        supportsStructuredOutputs: true,
      })("lang-14b"),
  ],
];

const lug = { providerOptions: { openai: { language: "lg" } } };
const providerOptions = { openai: { store: false } };

// The sample server's reply is predictable; a model's is not.
const isLocal = inject("isLocal");

describe.each(providers)("%s", (_name, modelOf) => {
  it("returns a whole reply", async () => {
    const { text, usage, finishReason } = await generateText({ model: modelOf(), prompt, maxRetries: 0 });
    expect(text.trim()).not.toBe("");
    expect(finishReason).toBe("stop");
    expect(usage.totalTokens).toBeGreaterThan(0);
  });

  it("streams a reply", async () => {
    const result = streamText({ model: modelOf(), prompt, maxRetries: 0 });
    const pieces = await readAll(result.textStream);
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.join("").trim()).not.toBe("");
    expect(await result.finishReason).toBe("stop");
    expect((await result.usage).totalTokens).toBeGreaterThan(0);
  });

  it.runIf(isLocal).each(["whole", "streamed"])(
    "calls tools until there is a final reply, %s",
    async (how) => {
      const requested: unknown[] = [];
      const request = {
        model: modelOf(),
        prompt: priceQuestion,
        providerOptions,
        maxRetries: 0,
        stopWhen: stepCountIs(3),
        tools: {
          get_market_price: tool({
            description: "The price of a crop at a market",
            inputSchema: jsonSchema({ ...priceParameters, required: [...priceParameters.required] }),
            execute: async (input) => {
              requested.push(input);
              return priceReply;
            },
          }),
        },
      };
      const text = how === "whole" ? (await generateText(request)).text : await streamText(request).text;
      expect(text).toContain(priceReply);
      expect(requested).toEqual([priceArguments]);
    },
  );

  it.runIf(isLocal)("returns structured output", async () => {
    const { output } = await generateText({
      model: modelOf(),
      prompt: "Maize in Gulu costs 1200 shillings.",
      maxRetries: 0,
      output: Output.object({
        schema: z.object({ market: z.enum(["Gulu", "Kampala"]), shillings: z.int() }),
      }),
    });
    expect(output).toEqual({ market: "Gulu", shillings: 1_200 });
  });

  it("stops when aborted", async () => {
    const abort = new AbortController();
    const result = streamText({ model: modelOf(), prompt, abortSignal: abort.signal, maxRetries: 0 });
    const parts: string[] = [];
    for await (const part of result.fullStream) {
      parts.push(part.type);
      if (part.type === "text-delta") abort.abort();
    }
    expect(parts.at(-1)).toBe("abort");
  });

  it("reports what went wrong", async () => {
    const failure = await generateText({
      model: modelOf(),
      prompt,
      maxRetries: 0,
      temperature: 3,
    }).catch((error: unknown) => error);
    expect(APICallError.isInstance(failure)).toBe(true);
    expect(failure).toMatchObject({ statusCode: 400, message: expect.stringContaining("temperature") });
  });
});

describe("@ai-sdk/openai", () => {
  it.runIf(isLocal)("gets an error that names `store: false` when it refers to stored items", async () => {
    const model = createOpenAI({ baseURL: `${baseUrl}/v1`, apiKey: token })("lang-14b");
    const first = await generateText({ model, prompt, maxRetries: 0 });
    const next = generateText({
      model,
      maxRetries: 0,
      messages: [
        { role: "user", content: prompt },
        ...first.response.messages,
        { role: "user", content: "And good morning?" },
      ],
    });
    await expect(next).rejects.toMatchObject({
      statusCode: 400,
      message: expect.stringContaining("store: false"),
    });
  });

  it.runIf(isLocal)("transcribes a recording, with its segments", async () => {
    const openai = createOpenAI({ baseURL: `${baseUrl}/v1`, apiKey: token });
    const text = "Wasuze otya nno? Nnyabo, weebale kujja.";
    // The sample server reads back what it has spoken.
    const audio = await speak(text, token);
    // For this model it requests `verbose_json`, and refuses segments with a missing field.
    const transcript = await transcribe({
      model: openai.transcription("whisper-1"),
      audio,
      maxRetries: 0,
      ...lug,
    });
    expect(transcript.text).toBe(text);
    expect(transcript.language).toBe("lg");
    expect(transcript.durationInSeconds).toBeGreaterThan(1);
    expect(transcript.segments.map((segment) => segment.text)).toEqual([
      "Wasuze otya nno?",
      "Nnyabo, weebale kujja.",
    ]);
  });

  it("speaks", async () => {
    const openai = createOpenAI({ baseURL: `${baseUrl}/v1`, apiKey: token });
    const { audio } = await generateSpeech({
      model: openai.speech("tts-1"),
      text: "Wasuze otya nno?",
      voice: "alloy",
      maxRetries: 0,
    });
    expect(audio.format).toBe("mp3");
    const { samples, sampleRate } = await decodeAudio("mp3", Buffer.from(audio.uint8Array));
    expect(samples.length / sampleRate).toBeGreaterThan(0.5);
  });
});
