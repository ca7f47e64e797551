import type { ServerResponse } from "node:http";
import type { ChatEvent, ChatRequest, ChatStream } from "../../shared/models/inference/chat.ts";
import { createOpenAiChatModels } from "../../shared/models/inference/openai/chat-models.ts";
import type { FakeBackend } from "./fake-backend.ts";
import { startEvents } from "./fake-stream.ts";
import { modelServer } from "./model-servers.ts";
import { piecesOf } from "./sources.ts";

/** The fake server's default request. */
export const chatRequest: ChatRequest = {
  model: "lang-9b",
  messages: [{ role: "user", content: "How are you in Luganda?" }],
  temperature: 0.3,
  topP: undefined,
  maxTokens: undefined,
  stop: undefined,
};

/** Starts a streamed response from a fake server. */
export const startStream = (
  backend: FakeBackend,
  options: {
    readonly silenceMilliseconds?: number;
    readonly signal?: AbortSignal;
    readonly request?: Partial<ChatRequest>;
    readonly thinksFirst?: boolean;
  } = {},
): Promise<ChatStream> =>
  createOpenAiChatModels([
    modelServer(
      {
        baseUrl: backend.baseUrl,
        apiKey: async () => "the-key",
        silenceMilliseconds: options.silenceMilliseconds ?? 400,
        profile: { chat: { thinks_first: options.thinksFirst } },
      },
      "large",
      "small",
    ),
  ]).streamReply(
    { ...chatRequest, ...options.request },
    { signal: options.signal ?? new AbortController().signal },
  );

/** Everything a stream returns, with the texts joined. */
export const readStream = async (stream: ChatStream) => {
  const events: ChatEvent[] = [];
  let error: unknown;
  try {
    for await (const group of piecesOf(stream)) events.push(...group);
  } catch (thrown) {
    error = thrown;
  }
  const text = events.map((event) => (event.type === "text-delta" ? event.text : "")).join("");
  return { text, last: events.filter(({ type }) => type !== "text-delta"), error };
};

/** The response of the next call, a stream that has started; what is sent on it is left to the test. */
export const nextStream = (backend: FakeBackend): Promise<ServerResponse> =>
  new Promise((resolve) =>
    backend.behave((response) => {
      startEvents(response);
      resolve(response);
    }),
  );
