import type { ServerResponse } from "node:http";
import refusals from "../fixtures/model-servers/refusals.json" with { type: "json" };
import type { Behaviour, FakeBackend } from "./fake-backend.ts";
import { decodeForm } from "./multipart.ts";

/** The codes that Whisper's own models have. Source: whisper/tokenizer.py of openai-whisper 20250625. */
const whisperCodes = new Set(
  (
    "af am ar as az ba be bg bn bo br bs ca cs cy da de el en es et eu fa fi fo fr gl gu ha haw he hi hr ht hu hy id is it ja jw ka " +
    "kk km kn ko la lb ln lo lt lv mg mi mk ml mn mr ms mt my ne nl nn no oc pa pl ps pt ro ru sa sd si sk sl sn so sq sr su sv sw " +
    "ta te tg th tk tl tr tt uk ur uz vi yi yo yue zh"
  ).split(" "),
);

const respond = (response: ServerResponse, status: number, body: unknown): void => {
  const isText = typeof body === "string";
  response.writeHead(status, { "Content-Type": isText ? "text/plain" : "application/json" });
  response.end(isText ? body : JSON.stringify(body));
};

/** How servers of a family refuse a code. */
const refuse = (family: string, response: ServerResponse, code: string): void => {
  const found = refusals.find((refusal) => refusal.family === family);
  if (!found) throw new Error(`There is no refusal of ${family}.`);
  respond(response, found.status, JSON.parse(JSON.stringify(found.body).replace("{code}", code)));
};

/** A server of Whisper's models, which knows their codes alone. @param fails whether it fails in every language. */
export const whisperServer =
  (server: FakeBackend, family: "vLLM" | "faster-whisper-server", fails = false): Behaviour =>
  (response) => {
    const received = server.received.at(-1);
    void decodeForm(received?.bytes ?? Buffer.alloc(0), received?.headers["content-type"]).then((form) => {
      const code = form.get("language");
      if (fails) respond(response, 500, "Internal Server Error");
      else if (typeof code === "string" && !whisperCodes.has(code)) refuse(family, response, code);
      else respond(response, 200, { text: ` In ${String(code)}.` });
    });
  };

/** A server of LibreTranslate's dialect. @param codes of its models. */
export const libreTranslateServer =
  (server: FakeBackend, codes: readonly string[]): Behaviour =>
  (response) => {
    const { q, source, target } = JSON.parse(server.received.at(-1)?.body ?? "{}");
    const unknown = [source, target].find((code) => code !== "auto" && !codes.includes(code));
    if (unknown) refuse("LibreTranslate", response, unknown);
    else respond(response, 200, { translatedText: `[${target}] ${q}` });
  };
