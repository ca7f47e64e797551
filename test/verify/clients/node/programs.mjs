/**
 * What clients of the OpenAI API for Node make of this service: a line of JSON for each test, as a title and what failed.
 *
 * node test/verify/clients/node/programs.mjs <client>, with OPENAI_BASE_URL, OPENAI_API_KEY and RECORDING in the environment.
 */
import { readFile } from "node:fs/promises";
import { argv, env, stdout } from "node:process";

const model = "lang-14b";
const hello = "How do you say 'thank you' in Luganda?";
const question = "What is the market price of Maize in Kampala?";
const result = "1,200 shillings a kilogram";
const sentence = "Wasuze otya nno? Nnyabo, weebale kujja.";
const parameters = {
  type: "object",
  properties: { crop: { type: "string" }, market: { enum: ["Gulu", "Kampala"] } },
  required: ["crop", "market"],
  additionalProperties: false,
};

const must = (held, found) => {
  if (!held) throw new Error(`found ${JSON.stringify(found)}`);
};

const messages = [{ role: "user", content: hello }];

/** The oldest supported version of the package `openai`. */
const oldest = async () => {
  const { default: OpenAI, toFile, ...errors } = await import("openai-oldest");
  const client = new OpenAI({ maxRetries: 0 });
  return {
    "returns a whole reply": async () => {
      const found = await client.chat.completions.create({ model, messages });
      must(found.choices[0].message.content.trim() && found.usage.total_tokens > 0, found);
    },
    "streams a reply": async () => {
      let text = "";
      for await (const { choices } of await client.chat.completions.create({ model, messages, stream: true }))
        text += choices[0].delta.content ?? "";
      must(text.trim(), text);
    },
    "calls a tool": async () => {
      const tools = [{ type: "function", function: { name: "get_market_price", parameters } }];
      const messages = [{ role: "user", content: question }];
      const { choices } = await client.chat.completions.create({ model, messages, tools });
      const [call] = choices[0].message.tool_calls;
      must(call.function.arguments === '{"crop":"Maize","market":"Kampala"}', call);
      const message = { role: "tool", tool_call_id: call.id, content: result };
      const reply = await client.chat.completions.create({
        model,
        messages: [...messages, choices[0].message, message],
        tools,
      });
      must(reply.choices[0].message.content.includes(result), reply);
    },
    "returns structured output": async () => {
      const schema = {
        type: "object",
        properties: { shillings: { type: "integer" } },
        required: ["shillings"],
        additionalProperties: false,
      };
      const found = await client.chat.completions.create({
        model,
        messages: [{ role: "user", content: "Maize in Gulu costs 1200 shillings." }],
        response_format: { type: "json_schema", json_schema: { name: "price", strict: true, schema } },
      });
      must(JSON.parse(found.choices[0].message.content).shillings === 1200, found);
    },
    "returns responses": async () => {
      const found = await client.responses.create({ model, input: hello });
      must(found.output_text.trim() && found.status === "completed", found);
      const events = [];
      for await (const event of await client.responses.create({ model, input: hello, stream: true }))
        events.push(event.type);
      must(events.at(-1) === "response.completed", events);
    },
    "transcribes a recording": async () => {
      const file = await toFile(await readFile(env.RECORDING), "recording.wav");
      const found = await client.audio.transcriptions.create({ file, model: "stt-51", language: "lg" });
      must(found.text === sentence, found);
    },
    speaks: async () => {
      const found = await client.audio.speech.create({ model: "tts-1", voice: "alloy", input: sentence });
      const audio = Buffer.from(await found.arrayBuffer());
      must(audio.length > 2_000 && audio[0] === 0xff && (audio[1] & 0xe6) === 0xe2, audio.subarray(0, 16));
    },
    "lists the models": async () => {
      const ids = (await client.models.list()).data.map(({ id }) => id);
      must(ids.join() === "lang-14b,lang-9b,stt-51,tts-20", ids);
    },
    "reports what went wrong": async () => {
      const refused = await client.chat.completions.create({ model, messages, n: 2 }).catch((error) => error);
      must(refused instanceof errors.BadRequestError && refused.param === "n", refused);
      const stranger = await client
        .withOptions({ apiKey: "nonsense" })
        .models.list()
        .catch((error) => error);
      must(stranger instanceof errors.AuthenticationError, stranger);
    },
  };
};

/** Two turns of an agent, of which the second has what the package makes of the first. */
const agents = async () => {
  const { Agent, run, setOpenAIAPI, setTracingDisabled, tool } = await import("@openai/agents");
  const { z } = await import("zod");
  setTracingDisabled(true);
  const turnsOf = (api) => async () => {
    setOpenAIAPI(api);
    const price = tool({
      name: "get_market_price",
      description: "The price of a crop at a market",
      parameters: z.object({ crop: z.string(), market: z.enum(["Gulu", "Kampala"]) }),
      execute: async () => result,
    });
    const agent = new Agent({ name: "Trader", instructions: "You know prices.", model, tools: [price] });
    const first = await run(agent, question);
    must(first.finalOutput.includes(result), first.finalOutput);
    const second = await run(agent, [...first.history, { role: "user", content: hello }]);
    must(second.finalOutput.trim(), second.finalOutput);
  };
  return {
    "takes two turns on chat completions": turnsOf("chat_completions"),
    "takes two turns on responses": turnsOf("responses"),
  };
};

const clients = { oldest, agents };

for (const [title, test] of Object.entries(await clients[argv[2]]())) {
  const failure = await test().then(
    () => null,
    (error) => String(error.stack ?? error),
  );
  stdout.write(`${JSON.stringify({ title, failure })}\n`);
}
