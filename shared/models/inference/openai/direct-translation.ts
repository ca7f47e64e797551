import * as z from "zod";
import { findLanguage } from "../../../platform/catalogue/languages.ts";
import { BackendOverdue } from "../../../platform/outbound/failures.ts";
import { limitTime } from "../../../platform/outbound/timeouts.ts";
import { codeOnWire } from "../language-codes.ts";
import type { DirectTranslation } from "../profile-schema.ts";
import type { TranslationRequest } from "../translation.ts";
import { postJsonForWhole } from "./call-policy.ts";
import { failureIn, maxResponseBytes, parseJson } from "./chat-completion.ts";
import type { KnownLanguages } from "./known-languages.ts";
import { failureOf } from "./refusals.ts";
import type { ModelCall } from "./task-server.ts";
import type { TranslationReply } from "./translation-reply.ts";

/** Source: https://docs.libretranslate.com/guides/api_usage/ */
const wireTranslation = z.object({ translatedText: z.string() });

/** What a server says of a language that it does not have. */
const unsupportedLanguage = /is not (?:supported|available)/i;

interface DirectOptions {
  readonly signal: AbortSignal;
  readonly languages: KnownLanguages;
}

/**
 * Translates with a server that speaks LibreTranslate's dialect, which takes a text without tags to keep and without context.
 *
 * @throws AppError as a translator does.
 */
export const translateDirectly = async (
  call: ModelCall,
  request: TranslationRequest,
  { language_codes: codes }: DirectTranslation,
  { signal, languages }: DirectOptions,
): Promise<TranslationReply> => {
  const { silenceMilliseconds, backend, key } = call;
  const { Authorization: _, ...headers } = call.headers;
  const [source, target] = [request.sourceLanguage, request.targetLanguage].map((name) => {
    const code = findLanguage(name ?? "")?.code;
    return code === undefined ? undefined : { code, wire: codeOnWire(codes, code) };
  });
  const limit = limitTime(silenceMilliseconds, signal, () => new BackendOverdue(silenceMilliseconds));
  try {
    const whole = await postJsonForWhole(
      { ...call, headers },
      "/translate",
      { q: request.text, source: source?.wire ?? "auto", target: target?.wire, format: "text", api_key: key },
      { signal: limit.signal, maxBytes: maxResponseBytes },
    );
    const { statusCode, body } = whole;
    const refused = statusCode === 400 && unsupportedLanguage.test(body) ? body : "";
    const unknown = [target, source].find((language) => language?.wire && refused.includes(language.wire));
    if (unknown) throw languages.refusal(unknown.code, backend.name);
    if (statusCode !== 200) throw failureOf(whole, { sent: { model: backend.model.name } });
    const response = parseJson(body);
    const text = wireTranslation.safeParse(response).data?.translatedText.trim();
    if (text === undefined) throw failureIn(response);
    return { text, usage: undefined, finish: "complete", instructions: [] };
  } finally {
    limit.lift();
  }
};
