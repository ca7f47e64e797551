import {
  allVoices,
  defaultSynthesisLanguage,
  findSynthesisLanguage,
  synthesisLanguages,
} from "../../shared/catalogue/voices.ts";
import { requireSynthesisLanguage } from "./choose-voice.ts";
import type { VoicesResponse } from "./contract.ts";

const catalog = {
  default: findSynthesisLanguage(defaultSynthesisLanguage)?.voices[0] ?? "",
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
