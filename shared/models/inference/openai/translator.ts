import { findLanguage } from "../../../platform/catalogue/languages.ts";
import { codeOnWire } from "../language-codes.ts";
import { type Placeholder, type PromptedTranslation, placeholderPattern } from "../profiles.ts";
import type { TranslationRequest, Translator } from "../translation.ts";
import { type Backends, unusable } from "./backend.ts";
import { openModelServer } from "./call-policy.ts";
import { type CompletionPlan, completeChat, type WireMessage } from "./chat-completion.ts";
import { fitToContext } from "./context-length.ts";
import { translateDirectly } from "./direct-translation.ts";
import { KnownLanguages } from "./known-languages.ts";
import type { ModelCall } from "./task-server.ts";

/** Room for the reply: languages that models know little need up to two tokens a character. */
const maxTokens = (text: string): number => Math.max(1_024, 2 * [...text].length);

/** What the model must know beyond its instruction, whose words stay those of its training. */
const remarks = ({ keep, context }: TranslationRequest): string[] => [
  ...(keep?.length
    ? [
        `The text has the tags ${keep.join(" ")}. Repeat each of them exactly once in the translation, around the ` +
          "words that it belongs to. Respond with the translation only, in one line.",
      ]
    : keep
      ? ["Respond with the translation only, in one line."]
      : []),
  ...(context ? [`What follows is only the context of the text. Do not translate it.\n${context}`] : []),
];

const codeOf = (
  name: string | undefined,
  { language_codes: codes }: PromptedTranslation,
): string | undefined => {
  const language = name === undefined ? undefined : findLanguage(name);
  return language && codeOnWire(codes, language.code);
};

/** Fills in a template. What the text says is never read as a template. */
const fillIn = (template: string, values: Readonly<Record<Placeholder, string>>): string =>
  template.replace(placeholderPattern, (whole, name: Placeholder) => values[name] ?? whole);

const messagesFor = (request: TranslationRequest, profile: PromptedTranslation): WireMessage[] => {
  const { text, sourceLanguage: source, targetLanguage: target } = request;
  const values = {
    source: source ?? "the language of the text",
    source_code: codeOf(source, profile) ?? "auto",
    target,
    target_code: codeOf(target, profile) ?? target,
    text,
  };
  const { system, instruction, instruction_without_source: withoutSource } = profile;
  const filled = fillIn(source === undefined ? withoutSource : instruction, values);
  const others = remarks(request);
  if (system === null) return [{ role: "user", content: [...others, filled].join("\n\n") }];
  return [
    { role: "system", content: [fillIn(system, values), ...others].join("\n\n") },
    { role: "user", content: filled },
  ];
};

const planFor = (
  request: TranslationRequest,
  model: string,
  profile: PromptedTranslation,
): CompletionPlan => ({
  thinksFirst: profile.thinks_first,
  request: {
    model,
    messages: messagesFor(request, profile),
    ...(profile.temperature === null ? {} : { temperature: profile.temperature, top_p: 0.95 }),
    [profile.max_tokens_parameter]: maxTokens(request.text),
  },
});

/** A translator behind servers that speak the OpenAI HTTP API, or LibreTranslate's. */
export const createTranslator = (backends: Backends): Translator => {
  const server = openModelServer(backends, "translation");
  const languages = new KnownLanguages(backends, "translation");
  const translateAt = async (call: ModelCall, request: TranslationRequest, signal: AbortSignal) => {
    const { name, profile } = call.backend.model;
    if (profile.translation.dialect === "libretranslate")
      return translateDirectly(call, request, profile.translation, { signal, languages });
    const { translation } = profile;
    const plan = planFor(request, name, translation);
    const completion = await fitToContext(call, plan, translation.context_tokens, (fitted) =>
      completeChat(call, fitted, signal),
    );
    if (completion.finishReason === "length")
      throw unusable("The translation was cut short; send a shorter text.");
    return { text: completion.text, usage: completion.usage };
  };
  return {
    translate: async (request, { signal }) => {
      const { sourceLanguage, targetLanguage } = request;
      const codes = [targetLanguage, sourceLanguage].map((name) => name && findLanguage(name)?.code);
      languages.require(...codes);
      return server.call(
        signal,
        (call) => translateAt(call, request, signal),
        (backend) => languages.serves(backend, ...codes),
      );
    },
  };
};
