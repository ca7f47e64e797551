import { requestBody } from "../bench/compare/model-responses.ts";
import type { TestAccount } from "../support/api-client.ts";
import type { LoadRequest } from "./client.ts";

const json = (kind: string, path: string, { token }: TestAccount, body: object | string): LoadRequest => ({
  kind,
  method: "POST",
  path,
  headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
  body: typeof body === "string" ? body : JSON.stringify(body),
});

/** Ten seconds in all, the pace of a shared model. */
const streamed = { tokens: 100, pauseMilliseconds: 100 };

const translate = (account: TestAccount) =>
  json("translate", "/tasks/translate", account, {
    source_language: "eng",
    target_language: "lug",
    text: "Where is the water?",
  });
const identify = (account: TestAccount) =>
  json("language_id", "/tasks/language_id", account, { text: "Amazzi gali ludda wa, ssebo?" });
const chat = (account: TestAccount) =>
  json("chat", "/tasks/chat/completions", account, requestBody("lang-14b"));
const voices = ({ token }: TestAccount): LoadRequest => ({
  kind: "voices",
  method: "GET",
  path: "/tasks/voice/speakers?language=lug",
  headers: { Authorization: `Bearer ${token}` },
});
const health = (): LoadRequest => ({ kind: "health", method: "GET", path: "/health" });
const login = ({ username, password }: TestAccount): LoadRequest => ({
  kind: "login",
  method: "POST",
  path: "/auth/token",
  headers: { "Content-Type": "application/x-www-form-urlencoded" },
  body: new URLSearchParams({ username, password }).toString(),
});

/** A chat whose response is streamed token by token. */
export const streamChat = (account: TestAccount): LoadRequest => ({
  ...json("chat stream", "/tasks/chat/completions", account, requestBody("lang-14b", streamed)),
  ending: "data: [DONE]",
});

/** One round of what callers do; a login costs 50 times what the others do, and is as rare. */
const mix = [...Array.from({ length: 6 }, () => [translate, identify, chat, voices, health]).flat(), login];

/** The request of a number, the same mix again and again. */
export const mixedRequest = (number: number, account: TestAccount): LoadRequest =>
  (mix[number % mix.length] ?? health)(account);
