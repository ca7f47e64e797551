import { HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { ChatOpenAI, type ChatOpenAIFields } from "@langchain/openai";
import { beforeAll, describe, expect, inject, it } from "vitest";
import * as z from "zod";
import { baseUrl, sharedAccount } from "../support/client.ts";
import { compareWithReadme } from "../support/client-rows.ts";
import { readAll } from "../support/read-all.ts";
import { priceArguments, priceQuestion, priceReply } from "../support/tools.ts";

let token: string;
beforeAll(async () => {
  ({ token } = await sharedAccount());
});

compareWithReadme({ "`@langchain/openai`": /^@langchain\/openai/ });

const messages = [new SystemMessage("Be brief."), new HumanMessage("How do you say 'thank you' in Luganda?")];

const priceTool = tool(async () => priceReply, {
  name: "get_market_price",
  description: "The price of a crop at a market",
  schema: z.object({ crop: z.string(), market: z.enum(["Gulu", "Kampala"]) }),
});

const ways: readonly (readonly [string, ChatOpenAIFields])[] = [
  ["@langchain/openai", {}],
  ["@langchain/openai, responses", { useResponsesApi: true, zdrEnabled: true }],
];

// The sample server's reply is predictable; a model's is not.
const isLocal = inject("isLocal");

describe.each(ways)("%s", (_name, fields) => {
  const modelOf = (more: ChatOpenAIFields = {}) =>
    new ChatOpenAI({
      model: "lang-14b",
      apiKey: token,
      configuration: { baseURL: `${baseUrl}/v1` },
      maxRetries: 0,
      ...fields,
      ...more,
    });

  it("returns a whole reply", async () => {
    const response = await modelOf().invoke(messages);
    expect(response.text.trim()).not.toBe("");
    expect(response.usage_metadata).toMatchObject({ total_tokens: expect.any(Number) });
  });

  it("streams a reply", async () => {
    const chunks = await readAll(await modelOf().stream(messages));
    expect(
      chunks
        .map(({ text }) => text)
        .join("")
        .trim(),
    ).not.toBe("");
    expect(chunks).toContainEqual(
      expect.objectContaining({
        usage_metadata: expect.objectContaining({ total_tokens: expect.any(Number) }),
      }),
    );
  });

  it.runIf(isLocal)("calls a tool, and uses its result in the reply", async () => {
    const model = modelOf().bindTools([priceTool]);
    const question = new HumanMessage(priceQuestion);
    const calling = await model.invoke([question]);
    const [call] = calling.tool_calls ?? [];
    expect(call).toMatchObject({ name: "get_market_price", args: priceArguments });
    const result = new ToolMessage({ content: priceReply, tool_call_id: call?.id ?? "" });
    expect((await model.invoke([question, calling, result])).text).toContain(priceReply);
  });

  it.runIf(isLocal)("streams the call of a tool", async () => {
    const chunks = await readAll(await modelOf().bindTools([priceTool]).stream(priceQuestion));
    const whole = chunks.slice(1).reduce((sum, chunk) => sum.concat(chunk), chunks[0] ?? unreachable());
    expect(whole.tool_calls).toMatchObject([{ name: "get_market_price", args: priceArguments }]);
  });

  it.runIf(isLocal)("returns structured output", async () => {
    const schema = z.object({ market: z.enum(["Gulu", "Kampala"]), shillings: z.int() });
    const model = modelOf().withStructuredOutput(schema, { name: "price", method: "jsonSchema" });
    expect(await model.invoke("Maize in Gulu costs 1200 shillings.")).toEqual({
      market: "Gulu",
      shillings: 1_200,
    });
  });

  it("reports what went wrong", async () => {
    await expect(modelOf({ model: "gpt-4o" }).invoke(messages)).rejects.toMatchObject({
      status: 404,
      message: expect.stringContaining("lang-14b, lang-9b"),
    });
  });
});

const unreachable = (): never => {
  throw new Error("The stream had no chunks.");
};
