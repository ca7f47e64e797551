/** What the mock model returns, and how to recognise it. */

/** What the benchmark requests from the model, in the text of the last message, which every gateway passes on. */
export interface ModelReply {
  readonly tokens: number;
  /** Before each token; 0 for as fast as the reader takes them. */
  readonly pauseMilliseconds: number;
}

/** The model's name on the mock server. */
export const mockModel = "mock";

/** As long as a short response; no gateway trims or escapes any of it. */
export const wholeReply = `Webale nnyo. ${"Omulamwa gw'ekigambo kino guli mu bufunze. ".repeat(9)}Webale.`;

/** The text of each token of a streamed response. */
export const tokenText = " amazzi";

const frame = (choices: unknown[], rest: object = {}): string =>
  `data: ${JSON.stringify({ id: "chatcmpl-0123456789abcdef0123456789abcdef", object: "chat.completion.chunk", created: 1_760_000_000, model: mockModel, choices, ...rest })}\n\n`;

/** The events of a streamed response. */
export const streamFrames = {
  role: frame([{ index: 0, delta: { role: "assistant", content: "" }, logprobs: null, finish_reason: null }]),
  token: frame([{ index: 0, delta: { content: tokenText }, logprobs: null, finish_reason: null }]),
  end: (tokens: number): string =>
    frame([{ index: 0, delta: {}, logprobs: null, finish_reason: "stop" }]) +
    frame([], { usage: { prompt_tokens: 112, completion_tokens: tokens, total_tokens: tokens + 112 } }) +
    "data: [DONE]\n\n",
};

/** The body of a whole response, as vLLM writes it. */
export const wholeBody = JSON.stringify({
  id: "chatcmpl-0123456789abcdef0123456789abcdef",
  object: "chat.completion",
  created: 1_760_000_000,
  model: mockModel,
  choices: [
    {
      index: 0,
      message: { role: "assistant", content: wholeReply, refusal: null, tool_calls: [] },
      logprobs: null,
      finish_reason: "stop",
      stop_reason: null,
    },
  ],
  usage: { prompt_tokens: 112, total_tokens: 232, completion_tokens: 120, prompt_tokens_details: null },
});

const instructions = "You reply in Luganda, briefly, and you say so when you are not sure.";

/** A letter of Luganda in six bytes, so that the longest body has no more characters than a conversation may have. */
const escapedLetter = "\\u014b";

/** The body of a request of this size. */
export const longRequestBody = (model: string, bytes: number): string => {
  const [start = "", end = ""] = JSON.stringify({ model, messages: [{ role: "user", content: "|" }] }).split(
    "|",
  );
  const letters = Math.floor((bytes - start.length - end.length) / escapedLetter.length);
  return start + escapedLetter.repeat(letters) + end;
};

/** The body of a request; `reply` is left out for a whole one. */
export const requestBody = (model: string, reply?: ModelReply): string =>
  JSON.stringify({
    model,
    messages: [
      { role: "system", content: instructions },
      { role: "user", content: "How do I request water, and what do I say when someone hands me some?" },
      {
        role: "assistant",
        content: "Onsaba otya amazzi? Gamba nti: nsaba amazzi. Oluvannyuma: webale nnyo.",
      },
      {
        role: "user",
        content: reply ? JSON.stringify(reply) : "And how do I say it to someone who is older than me?",
      },
    ],
    temperature: 0.3,
    ...(reply ? { stream: true } : {}),
  });

const instruction = /\\"tokens\\":(?<tokens>\d+),\\"pauseMilliseconds\\":(?<pause>\d+)/;

/** What a request's body requests from the model; `undefined` for a whole response. */
export const readInstruction = (body: string): ModelReply | undefined => {
  if (!/"stream": ?true/.test(body)) return undefined;
  const { tokens, pause } = instruction.exec(body)?.groups ?? {};
  if (tokens === undefined) throw new Error("A stream was requested without its length.");
  return { tokens: Number(tokens), pauseMilliseconds: Number(pause) };
};
