import type { SpeechRequest } from "../../shared/models/inference/speech.ts";
import {
  allVoices,
  defaultSynthesisLanguage,
  defaultVoices,
  findSynthesisLanguage,
  languageOfVoice,
  type SynthesisLanguage,
  synthesisLanguages,
} from "../../shared/platform/catalogue/voices.ts";
import { AppError } from "../../shared/platform/errors/app-error.ts";
import type { SpeechItem } from "./contract.ts";
import type { VoicesResponse } from "./voices-contract.ts";

export interface ChosenVoice {
  readonly voice: string;
  /** ISO 639-3. */
  readonly language: string;
}

const supportedLanguages = synthesisLanguages
  .filter(({ voices }) => voices.length > 0)
  .map(({ code, name }) => ({ code, name }));
const supportedCodes = supportedLanguages.map(({ code }) => code).join(", ");

/** Finds a language by its code or name. @throws AppError `unknown_language` with the list of languages. */
export const requireSynthesisLanguage = (code: string): SynthesisLanguage => {
  const language = findSynthesisLanguage(code);
  if (language) return language;
  throw new AppError("unknown_language", {
    message: `Speech synthesis does not support the language '${code}'. Supported languages: ${supportedCodes}.`,
    param: "language",
    extra: { supported_languages: supportedLanguages },
  });
};

const voicesOf = ({ name, code, voices }: SynthesisLanguage): string =>
  voices.length > 0
    ? `Voices for ${name} (${code}): ${voices.join(", ")}.`
    : `${name} (${code}) has no voices.`;

const firstVoice = (language: SynthesisLanguage): ChosenVoice => {
  const [voice] = language.voices;
  if (voice) return { voice, language: language.code };
  throw new AppError("no_speaker_for_language", {
    message: `${voicesOf(language)} Choose another language.`,
    param: "language",
    extra: { supported_languages: supportedLanguages },
  });
};

/**
 * Chooses the voice of a request: the named one, else the first of its language, else the default one.
 * @throws AppError `invalid_speaker`, `unknown_language`, `invalid_speaker_for_language` or
 * `no_speaker_for_language`, each with the list to choose from.
 */
export const chooseVoice = (
  voice: string | null | undefined,
  languageCode: string | null | undefined,
): ChosenVoice => {
  if (voice == null) return firstVoice(requireSynthesisLanguage(languageCode ?? defaultSynthesisLanguage));
  const owner = languageOfVoice(voice);
  if (!owner) {
    throw new AppError("invalid_speaker", {
      message: `Unknown voice '${voice}'; GET /tasks/voice/speakers lists the voices.`,
      param: "voice",
      extra: { supported_voices: allVoices },
    });
  }
  const language = languageCode == null ? owner : requireSynthesisLanguage(languageCode);
  if (language !== owner) {
    throw new AppError("invalid_speaker_for_language", {
      message: `The voice '${voice}' speaks ${owner.name} (${owner.code}). ${voicesOf(language)}`,
      param: "voice",
      extra: { supported_voices: language.voices },
    });
  }
  return { voice, language: owner.code };
};

/** The request to the synthesizer, from the caller's request and the chosen voice. */
export const toSpeechRequest = (item: SpeechItem, { voice, language }: ChosenVoice): SpeechRequest => ({
  text: item.text,
  voice,
  hasNamedVoice: item.voice === voice,
  language: item.language == null ? undefined : language,
  sampling: {
    temperature: item.temperature ?? undefined,
    topP: item.top_p ?? undefined,
    repetitionPenalty: item.repetition_penalty ?? undefined,
    maxTokens: item.max_tokens ?? undefined,
    seed: item.seed ?? undefined,
  },
});

const catalog = {
  default: defaultVoices[0] ?? "",
  by_language: Object.fromEntries(synthesisLanguages.map(({ code, voices }) => [code, [...voices]])),
  total: allVoices.length,
  languages: synthesisLanguages.map(({ code }) => code),
};

/** The catalogue of voices, or those of one language. @throws AppError `unknown_language`. */
export const listVoices = (language: string | undefined): VoicesResponse => {
  if (language === undefined) return catalog;
  const { code, voices } = requireSynthesisLanguage(language);
  return { language: code, speakers: [...voices], count: voices.length };
};
