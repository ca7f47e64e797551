import { findLanguage } from "../../../platform/catalogue/languages.ts";
import { logger } from "../../../platform/telemetry/logger.ts";
import { sourceLanguageDetectorOnDemand } from "../../source-language/detector.ts";
import { codeOnWire } from "../language-codes.ts";
import type { PromptedTranslation } from "../profile-schema.ts";
import {
  NoTranslation,
  type Placeholder,
  placeholderPattern,
  type TranslationRequest,
  type TranslationResult,
  type Translator,
} from "../translation.ts";
import { type Backends, unusable } from "./backend.ts";
import { openModelServer } from "./call-policy.ts";
import { type CompletionPlan, completeChat, type WireMessage } from "./chat-completion.ts";
import { fitToContext } from "./context-length.ts";
import { translateDirectly } from "./direct-translation.ts";
import { KnownLanguages } from "./known-languages.ts";
import type { ModelCall } from "./task-server.ts";
import { acceptedTranslation, finishOf, type TranslationReply } from "./translation-reply.ts";

const thoughtTokens = 2_048;

/**
 * Room for the reply: languages that models know little need up to three tokens a character. A model that finds no end is stopped
 * there.
 */
const maxTokens = (text: string, { thinks_first: thinksFirst }: PromptedTranslation): number =>
  64 + 3 * [...text].length + (thinksFirst ? thoughtTokens : 0);

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

/** @param text replaces the one of the request. */
const messagesFor = (
  request: TranslationRequest,
  profile: PromptedTranslation,
  text = request.text,
): WireMessage[] => {
  const { sourceLanguage: source, targetLanguage: target } = request;
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
  mayBeEmpty: true,
  request: {
    model,
    messages: messagesFor(request, profile),
    ...(profile.temperature === null ? {} : { temperature: profile.temperature, top_p: 0.95 }),
    [profile.max_tokens_parameter]: maxTokens(request.text, profile),
  },
});

/** What a model is sent besides the text and its context. */
const instructionsFor = (request: TranslationRequest, profile: PromptedTranslation): string[] =>
  messagesFor({ ...request, context: undefined }, profile, "\n").flatMap(({ content }) => content ?? []);

const translatePrompted = async (
  call: ModelCall,
  request: TranslationRequest,
  profile: PromptedTranslation,
  signal: AbortSignal,
): Promise<TranslationReply> => {
  const plan = planFor(request, call.backend.model.name, profile);
  const completion = await fitToContext(call, plan, profile.context_tokens, (fitted) =>
    completeChat(call, fitted, signal),
  );
  const { text, usage } = completion;
  return { text, usage, finish: finishOf(completion), instructions: instructionsFor(request, profile) };
};

/** The reply of a model whose replies are not judged. @throws AppError for an empty or a cut one. */
const asItIs = ({ text, usage, finish }: TranslationReply): TranslationResult => {
  if (text === "" || finish === "cut")
    throw unusable(new NoTranslation(text === "" ? "empty" : "cut").message);
  return { text, usage, isJudged: false };
};

/** A translator behind servers that speak the OpenAI HTTP API, or LibreTranslate's. */
export const createTranslator = (
  backends: Backends,
  detector = sourceLanguageDetectorOnDemand(),
): Translator => {
  const server = openModelServer(backends, "translation");
  const languages = new KnownLanguages(backends, "translation");
  const detect = (text: string) => detector.detect(text)?.code;
  const translateAt = async (call: ModelCall, request: TranslationRequest, signal: AbortSignal) => {
    const { translation: profile } = call.backend.model.profile;
    const reply =
      profile.dialect === "libretranslate"
        ? await translateDirectly(call, request, profile, { signal, languages })
        : await translatePrompted(call, request, profile, signal);
    return profile.judged ? acceptedTranslation(reply, request, detect) : asItIs(reply);
  };
  return {
    translate: async (request, { signal, maxReplies = 2 }) => {
      const { sourceLanguage, targetLanguage } = request;
      const codes = [targetLanguage, sourceLanguage].map((name) => name && findLanguage(name)?.code);
      languages.require(...codes);
      const attempt = () =>
        server.call(
          signal,
          (call) => translateAt(call, request, signal),
          (backend) => languages.serves(backend, ...codes),
        );
      try {
        return await attempt();
      } catch (error) {
        if (maxReplies === 1 || !(error instanceof NoTranslation)) throw error;
        logger.warn("translation.requested_again", { reason: error.fault });
        return attempt();
      }
    },
  };
};
