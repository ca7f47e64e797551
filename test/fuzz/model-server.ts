import * as z from "zod";
import { changingProtocol, eventsForEver } from "../attack/model-server.ts";
import { type Behaviour, completion, responding, startFakeBackend } from "../support/fake-backend.ts";
import { delta, finish, role, streaming, usage } from "../support/fake-stream.ts";
import { dripping } from "../support/slow-responses.ts";
import { audioBytes, wavFile } from "../support/wav.ts";

/** All models, responding at once and always the same, but for a few requests to a chat model. */
export interface ModelServer {
  readonly baseUrl: string;
  close(): Promise<void>;
}

const chatRequest = z.object({
  stream: z.boolean().nullish(),
  tools: z.array(z.object({ function: z.object({ name: z.string() }) })).nullish(),
});
const replyText = "Oli otya?";
const speech = wavFile(audioBytes(9_600), { stated: true });

/** One in this many requests, chosen by its text, so that the same one always gets the same response. */
const misbehaviourInterval = 96;

/** Ways in which a server never finishes and is never silent; the service must. */
const misbehaviours = {
  "another protocol": changingProtocol,
  "comments only": eventsForEver((response) => response.write(": comments only\n\n")),
  "blank lines": eventsForEver((response) => response.write("\n")),
  "one letter after the other": dripping("application/json", () => Buffer.from(`{${" ".repeat(100_000)}`)),
} as const satisfies Record<string, Behaviour>;

/** The name of a misbehaviour with which the server meets a request. */
export type Misbehaviour = keyof typeof misbehaviours;

const misbehaviourNames: readonly Misbehaviour[] = [
  "another protocol",
  "comments only",
  "blank lines",
  "one letter after the other",
];

/** How the server will misbehave for this request; it responds well to most. */
export const misbehaviourFor = (requestText: string): Misbehaviour | undefined =>
  misbehaviourNames[Buffer.from(requestText).reduce((sum, byte) => sum + byte, 0) % misbehaviourInterval];

const replyTo = (requestText: string): Behaviour => {
  const { stream, tools } = chatRequest.parse(JSON.parse(requestText));
  // Who offers tools has all of them called.
  const tool_calls = tools?.map(({ function: { name } }, index) => ({
    index,
    id: `call_${index}`,
    type: "function",
    function: { name, arguments: "{}" },
  }));
  const reason = tool_calls ? "tool_calls" : "stop";
  if (stream) {
    const calls = tool_calls
      ? [delta("").replace('"content":""', `"tool_calls":${JSON.stringify(tool_calls)}`)]
      : [];
    return streaming(role, delta(replyText), ...calls, finish(reason), usage, "[DONE]");
  }
  const message = { role: "assistant", content: replyText, tool_calls };
  const choices = [{ index: 0, message, finish_reason: reason }];
  return responding(200, { ...completion(replyText), choices });
};

const behaviourFor = (path: string, body: string): Behaviour => {
  if (path === "/v1/chat/completions") {
    const misbehaviour = misbehaviourFor(body);
    return misbehaviour ? misbehaviours[misbehaviour] : replyTo(body);
  }
  if (path === "/v1/audio/transcriptions") return responding(200, { text: "Wasuze otya nno?" });
  if (path !== "/v1/audio/speech") return responding(404, "");
  return (response) => void response.writeHead(200, { "Content-Type": "audio/wav" }).end(speech);
};

/** Starts the server on a free port of this machine. */
export const startModelServer = async (): Promise<ModelServer> => {
  const backend = await startFakeBackend();
  backend.behave((response, request) => {
    const { path = "", body = "" } = backend.received.splice(0).at(-1) ?? {};
    behaviourFor(path, body)(response, request);
  });
  return { baseUrl: backend.baseUrl, close: backend.close };
};
