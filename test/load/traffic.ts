import type { LoadAccount } from "./accounts.ts";
import type { LoadRequest } from "./client.ts";

const json = (kind: string, path: string, { token }: LoadAccount, body: unknown): LoadRequest => ({
  kind,
  method: "POST",
  path,
  headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
  body: JSON.stringify(body),
});

const conversation = (stream: boolean) => ({
  model: "lang-14b",
  stream,
  messages: [{ role: "user", content: "Where is the water?" }],
});

const translate = (account: LoadAccount) =>
  json("translate", "/tasks/translate", account, {
    source_language: "eng",
    target_language: "lug",
    text: "Where is the water?",
  });
const identify = (account: LoadAccount) =>
  json("language_id", "/tasks/language_id", account, { text: "Amazzi gali ludda wa, ssebo?" });
const chat = (account: LoadAccount) => json("chat", "/tasks/chat/completions", account, conversation(false));
const voices = ({ token }: LoadAccount): LoadRequest => ({
  kind: "voices",
  method: "GET",
  path: "/tasks/voice/speakers?language=lug",
  headers: { Authorization: `Bearer ${token}` },
});
const health = (): LoadRequest => ({ kind: "health", method: "GET", path: "/health" });
const login = ({ username, password }: LoadAccount): LoadRequest => ({
  kind: "login",
  method: "POST",
  path: "/auth/token",
  headers: { "Content-Type": "application/x-www-form-urlencoded" },
  body: new URLSearchParams({ username, password }).toString(),
});

/** A chat whose response is streamed token by token. */
export const streamChat = (account: LoadAccount): LoadRequest => ({
  ...json("chat stream", "/tasks/chat/completions", account, conversation(true)),
  ending: "data: [DONE]",
});

/** One round of what callers do; a login costs 50 times what the others do, and is as rare. */
const mix = [...Array.from({ length: 6 }, () => [translate, identify, chat, voices, health]).flat(), login];

/** The request of a number, the same mix again and again. */
export const mixedRequest = (number: number, account: LoadAccount): LoadRequest =>
  (mix[number % mix.length] ?? health)(account);
