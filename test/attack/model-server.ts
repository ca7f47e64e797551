import type { ServerResponse } from "node:http";
import {
  type Behaviour,
  completion,
  resetting,
  responding,
  startFakeBackend,
} from "../support/fake-backend.ts";
import { delta, finish, role, sendEvents, startEvents, streaming, usage } from "../support/fake-stream.ts";
import { dripping, silentAfterHeaders } from "../support/slow-responses.ts";
import { audioBytes, wavFile, wavHeaderBytes } from "../support/wav.ts";
import type { HeldTranscriptions } from "./attack.ts";

/** What only a model's thoughts contain; no reader may see it. */
export const thoughtWord = "marabou";

/** What an attack's models respond when they behave. */
export const replyText = "Oli otya?";

/** Formats in which models show their thoughts. */
export const thoughts: Readonly<Record<string, string>> = {
  "a tag": `<think>${thoughtWord}</think>${replyText}`,
  "an end without a beginning": `${thoughtWord}, I suppose.\n</think>\n\n${replyText}`,
  "several ends": `${thoughtWord}</think> or not ${thoughtWord}</think>${replyText}`,
  "other letters": `<Think>${thoughtWord}</THINK>${replyText}`,
  "thoughts inside of thoughts": `<think>a<think>b</think>${thoughtWord}</think>${replyText}`,
  attributes: `<think lang="en" depth="2">${thoughtWord}</think>${replyText}`,
  "another name": `<thinking>${thoughtWord}</thinking>${replyText}`,
  "a name for reasons": `<reasoning>${thoughtWord}</reasoning>${replyText}`,
  "blanks inside": `< think >${thoughtWord}</ think>${replyText}`,
  "square brackets": `[THINK]${thoughtWord}[/THINK]${replyText}`,
  triangles: `◁think▷${thoughtWord}◁/think▷${replyText}`,
  tokens: `<|START_THINKING|>${thoughtWord}<|END_THINKING|>${replyText}`,
  channels: `<|channel|>analysis<|message|>${thoughtWord}<|end|><|start|>assistant<|channel|>final<|message|>${replyText}`,
  "a field of its own": replyText,
};

const every = (response: ServerResponse, milliseconds: number, act: () => void): void => {
  const timer = setInterval(act, milliseconds);
  response.once("close", () => clearInterval(timer));
};

/** Starts a stream of events and does something again and again, as long as there is a reader. */
export const eventsForEver =
  (act: (response: ServerResponse) => void): Behaviour =>
  (response) => {
    startEvents(response);
    every(response, 100, () => act(response));
  };

const whole = (content: string, more: object = {}): Behaviour =>
  responding(200, { ...completion(content), ...more });

/** Responds with another protocol than the one that was requested. */
export const changingProtocol: Behaviour = (response) => {
  response.socket?.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n");
};

/** Ways of a model's server not to come to an end. */
export const endlessReplies: Readonly<Record<string, Behaviour>> = {
  "changes the protocol (101)": changingProtocol,
  "sends nothing but comments": eventsForEver((response) => response.write(": still here\n\n")),
  "sends nothing but blank lines": eventsForEver((response) => response.write("\n")),
  "only ever says who speaks": eventsForEver((response) => sendEvents(response, role)),
  "sends one letter after the other": dripping("application/json", () =>
    Buffer.from(JSON.stringify(completion("a".repeat(100_000)))),
  ),
  "sends headers and nothing more": silentAfterHeaders,
  "says nothing": () => undefined,
  "breaks the connection": resetting,
};

const usageOf = (tokens: number): string => usage.replaceAll(/:(11|3|14)\b/g, `:${tokens}`);

/** Streams that are odd in a way that readers have stumbled over. */
const oddStreams: Readonly<Record<string, Behaviour>> = {
  "never stops speaking": eventsForEver((response) => sendEvents(response, delta("again "))),
  "blanks around the last word": (response) => {
    startEvents(response);
    sendEvents(response, role, delta(replyText), finish(), usage);
    response.end("data:  [DONE] \n\n");
  },
  "other choices": streaming(
    role,
    delta(replyText),
    delta(thoughtWord).replace('"index":0', '"index":1'),
    finish(),
    usage,
    "[DONE]",
  ),
  "negative counts": streaming(role, delta(replyText), finish(), usageOf(-5), "[DONE]"),
};

/** Letter by letter, so that a marker is always cut. */
const streamed = (content: string): Behaviour =>
  streaming(role, ...[...content].map((letter) => delta(letter)), finish(), usage, "[DONE]");

const ordinary =
  (isStream: boolean, content: string): Behaviour =>
  (response, request) =>
    (isStream ? streamed(content) : whole(content))(response, request);

/** How long the models' server lets a connection be idle, where an attack is about that. */
export const idleMilliseconds = 250;

const timeout = "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

/** Ways of a model's server to end an idle connection: with these bytes, after a time or when the next request comes. */
export const idleEnds: Readonly<Record<string, { readonly bytes: string; readonly crosses: boolean }>> = {
  "sends 408 over idle connections": { bytes: timeout, crosses: false },
  "closes idle connections": { bytes: "", crosses: false },
  "sends 408 at the moment of the next request": { bytes: timeout, crosses: true },
  "closes at the moment of the next request": { bytes: "", crosses: true },
};

/** Connections that have carried a request, and end with the next one. */
const crossing = new WeakSet<object>();

const endingIdle =
  ({ bytes, crosses }: (typeof idleEnds)[string], behave: Behaviour): Behaviour =>
  (response, request) => {
    const { socket } = request;
    if (crossing.has(socket)) {
      socket.end(bytes);
      return;
    }
    if (crosses) crossing.add(socket);
    else response.once("finish", () => setTimeout(() => socket.end(bytes), idleMilliseconds));
    behave(response, request);
  };

/** In a field of their own, as servers with a parser for thoughts send them. */
const thoughtInField = (isStream: boolean): Behaviour => {
  const message = { role: "assistant", content: replyText, reasoning_content: thoughtWord };
  return isStream
    ? streaming(
        role,
        delta(thoughtWord).replace('"content"', '"reasoning_content"'),
        delta(replyText),
        finish(),
        usage,
        "[DONE]",
      )
    : whole("", { choices: [{ index: 0, message, finish_reason: "stop" }] });
};

/** The prefix of a message to a model that selects its server's behaviour. */
const order = /attack:([^."\\]+)\./;

/** A message that selects the model server's behaviour. */
export const orderOf = (behaviour: string): string => `attack:${behaviour}.`;

const chatBehaviour = (body: string): Behaviour => {
  const isStream = /"stream":\s*true/.test(body);
  // The last one: what was said before in a conversation is said again with each message.
  const name = body.slice(Math.max(0, body.lastIndexOf("attack:"))).match(order)?.[1] ?? "";
  if (name === "a field of its own") return thoughtInField(isStream);
  const usual = endlessReplies[name] ?? oddStreams[name] ?? ordinary(isStream, thoughts[name] ?? replyText);
  return idleEnds[name] ? endingIdle(idleEnds[name], usual) : usual;
};

/** A server for all models that responds as the attack requests. */
export const startAttackingModels = async () => {
  // Connections that were opened ahead get a 408 as well.
  const backend = await startFakeBackend({
    connectionsCheckingInterval: idleMilliseconds / 5,
    headersTimeout: idleMilliseconds,
    requestTimeout: 0,
  });
  let audioSent = 0;
  const endlessAudio: Behaviour = (response) => {
    const head = wavHeaderBytes(0);
    response.writeHead(200, { "Content-Type": "audio/wav" });
    response.write(head);
    const piece = Buffer.alloc(256 * 1_024);
    const write = (): void => {
      let goesOn = true;
      while (goesOn && !response.destroyed) {
        goesOn = response.write(piece);
        audioSent += piece.length;
      }
    };
    response.on("drain", write);
    write();
  };
  let held: { readonly released: Promise<void>; calls: number } | undefined;
  const transcribe: Behaviour = (response, request) => {
    if (held) held.calls += 1;
    const respond = (): void => responding(200, { text: "Wasuze otya nno?" })(response, request);
    void (held?.released ?? Promise.resolve()).then(respond);
  };
  const holdTranscriptions = (): HeldTranscriptions => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const holding = { released: promise, calls: 0 };
    held = holding;
    return { calls: () => holding.calls, release: resolve };
  };
  const slowAudio: Behaviour = (response) => {
    response.writeHead(200, { "Content-Type": "audio/wav" }).write(wavHeaderBytes(0));
    every(response, 200, () => response.write(audioBytes(9_600)));
  };
  const speech = wavFile(audioBytes(9_600), { stated: true });
  const speak: Behaviour = (response) => {
    response.writeHead(200, { "Content-Type": "audio/wav" }).end(speech);
  };
  const spoken = Object.entries({ endless: endlessAudio, slow: slowAudio });
  backend.behave((response, request) => {
    const { path = "", body = "" } = backend.received.splice(0).at(-1) ?? {};
    const behaviour = path.endsWith("/audio/transcriptions")
      ? transcribe
      : path.endsWith("/audio/speech")
        ? (spoken.find(([name]) => body.includes(orderOf(name)))?.[1] ?? speak)
        : chatBehaviour(body);
    behaviour(response, request);
  });
  return { baseUrl: backend.baseUrl, audioSent: () => audioSent, holdTranscriptions, close: backend.close };
};
