import { createMCPClient } from "@ai-sdk/mcp";
import { generateText, stepCountIs, type ToolSet } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { beforeAll, expect, inject, it, onTestFinished } from "vitest";
import * as z from "zod";
import { baseUrl, sharedAccount } from "../support/client.ts";
import { decodeAudio } from "../support/test-audio.ts";

let token: string;
beforeAll(async () => {
  ({ token } = await sharedAccount());
});

const toolsFor = async (bearer: string): Promise<ToolSet> => {
  const client = await createMCPClient({
    transport: { type: "http", url: `${baseUrl}/mcp`, headers: { Authorization: `Bearer ${bearer}` } },
  });
  onTestFinished(() => client.close());
  return client.tools();
};

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

interface Step {
  readonly toolName: string;
  readonly input: object | ((results: readonly unknown[]) => object);
}

/** A model that calls these tools one after the other, and then says what the last one returned. */
const scripted = (steps: readonly Step[]) =>
  new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      const results = prompt.flatMap((message) =>
        message.role === "tool"
          ? message.content.flatMap((part) => (part.type === "tool-result" ? [part.output] : []))
          : [],
      );
      const step = steps[results.length];
      if (!step) {
        const text = JSON.stringify(results.at(-1));
        return {
          content: [{ type: "text", text }],
          finishReason: { unified: "stop", raw: "stop" },
          usage,
          warnings: [],
        };
      }
      const input = typeof step.input === "function" ? step.input(results) : step.input;
      const call = { toolCallId: `call-${results.length}`, toolName: step.toolName };
      return {
        content: [{ type: "tool-call", ...call, input: JSON.stringify(input) }],
        finishReason: { unified: "tool-calls", raw: "tool_calls" },
        usage,
        warnings: [],
      };
    },
  });

const toolResult = z.object({
  content: z.array(
    z.discriminatedUnion("type", [
      z.object({ type: z.literal("text"), text: z.string() }),
      z.object({ type: z.literal("audio"), data: z.base64(), mimeType: z.string() }),
    ]),
  ),
  isError: z.boolean().optional(),
});

const translatedText = z.object({ output: z.object({ translated_text: z.string() }) });

/** The translation in the result that the model was shown. */
const readTranslation = (results: readonly unknown[]): string => {
  const [, text = ""] = /"text":"(\{.*?\})"[,}]/.exec(JSON.stringify(results[0])) ?? [];
  return translatedText.parse(JSON.parse(JSON.parse(`"${text}"`))).output.translated_text;
};

it("An agent of the AI SDK translates a text and speaks the translation", async () => {
  const tools = await toolsFor(token);
  const { steps, text } = await generateText({
    model: scripted([
      {
        toolName: "translate",
        input: { source_language: "eng", target_language: "lug", text: "How are you?" },
      },
      {
        toolName: "speak",
        input: (results) => ({ text: readTranslation(results), language: "lug", audio_format: "mp3" }),
      },
    ]),
    tools,
    prompt: "Say 'How are you?' to me in Luganda.",
    stopWhen: stepCountIs(5),
  });
  const calls = steps.flatMap((step) => step.toolCalls.map(({ toolName, input }) => ({ toolName, input })));
  expect(calls.map(({ toolName }) => toolName)).toEqual(["translate", "speak"]);
  if (inject("isLocal")) expect(calls[1]?.input).toMatchObject({ text: "Oli otya?" });
  const spoken = toolResult.parse(steps[1]?.toolResults[0]?.output);
  const [, audio] = spoken.content;
  if (audio?.type !== "audio") throw new Error("The result has no audio.");
  expect(audio.mimeType).toBe("audio/mpeg");
  const { samples, sampleRate } = await decodeAudio("mp3", Buffer.from(audio.data, "base64"));
  expect(samples.length / sampleRate).toBeGreaterThan(0.5);
  expect(text).toContain("audio_url");
});

it("An agent reads why a tool failed, and can correct itself", async () => {
  const tools = await toolsFor(token);
  const { steps } = await generateText({
    model: scripted([
      { toolName: "translate", input: { target_language: "Klingon", text: "How are you?" } },
      { toolName: "translate", input: { target_language: "Luganda", text: "How are you?" } },
    ]),
    tools,
    prompt: "Translate 'How are you?'.",
    stopWhen: stepCountIs(5),
  });
  const [failed, corrected] = steps.flatMap(({ toolResults }) =>
    toolResults.map(({ output }) => toolResult.parse(output)),
  );
  expect(failed?.isError).toBe(true);
  expect(failed?.content[0]).toMatchObject({ text: expect.stringContaining("unsupported_language") });
  expect(corrected?.isError).toBeFalsy();
});
