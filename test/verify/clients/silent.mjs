/**
 * What the clients for Node make of a model that is silent for twenty seconds before it replies, all at once: a line of JSON for
 * each, as a title and what failed. OPENAI_BASE_URL and OPENAI_API_KEY are in the environment.
 */
import { createRequire } from "node:module";
import { env, stdout } from "node:process";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { ChatOpenAI } from "@langchain/openai";
import { streamText } from "ai";
import OpenAI from "openai";

// Installed in a folder of its own, where the others are not looked for.
const { default: Oldest } = await import(
  createRequire(new URL("node/", import.meta.url)).resolve("openai-oldest")
);

const [model, content] = ["lang-14b", "How do you say 'thank you' in Luganda?"];
const messages = [{ role: "user", content }];

const openai = (client) => async () => {
  let text = "";
  for await (const { choices } of await client.chat.completions.create({ model, messages, stream: true }))
    text += choices[0]?.delta.content ?? "";
  return text;
};

const responses = (client) => async () => {
  let text = "";
  for await (const event of await client.responses.create({ model, input: content, stream: true }))
    if (event.type === "response.output_text.delta") text += event.delta;
  return text;
};

const aiSdk = (languageModel) => async () => {
  let text = "";
  for await (const piece of streamText({ model: languageModel, prompt: content, maxRetries: 0 }).textStream)
    text += piece;
  return text;
};

const langChain = async () => {
  const chat = new ChatOpenAI({ model, maxRetries: 0, configuration: { baseURL: env.OPENAI_BASE_URL } });
  let text = "";
  for await (const chunk of await chat.stream(content)) text += chunk.text;
  return text;
};

const options = { baseURL: env.OPENAI_BASE_URL, apiKey: env.OPENAI_API_KEY };
const [newest, old] = [new OpenAI({ maxRetries: 0 }), new Oldest({ maxRetries: 0 })];
const clients = {
  "openai streams a reply after silence": openai(newest),
  "openai streams a response after silence": responses(newest),
  "the oldest openai streams a reply after silence": openai(old),
  "the oldest openai streams a response after silence": responses(old),
  "@ai-sdk/openai streams a reply after silence": aiSdk(createOpenAI(options).chat(model)),
  "@ai-sdk/openai streams a response after silence": aiSdk(createOpenAI(options)(model)),
  "@ai-sdk/openai-compatible streams a reply after silence": aiSdk(
    createOpenAICompatible({ name: "language-ai", ...options })(model),
  ),
  "@langchain/openai streams a reply after silence": langChain,
};

await Promise.all(
  Object.entries(clients).map(async ([title, read]) => {
    const failure = await read().then(
      (text) => (text.trim() === "" ? "nothing came" : null),
      (error) => String(error.stack ?? error),
    );
    stdout.write(`${JSON.stringify({ title, failure })}\n`);
  }),
);
