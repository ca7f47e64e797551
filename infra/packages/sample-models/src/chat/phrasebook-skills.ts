import {
  findLanguage,
  languageName,
  listLanguageNames,
  phrasebookLanguages,
} from "../phrasebook/languages.ts";
import { findPhrase, languagesOf } from "../phrasebook/phrasebook.ts";
import { capitalise } from "../phrasebook/sentences.ts";
import { type TranslatedRun, translateRuns } from "../phrasebook/translate.ts";
import { connectHint, disclosure, quote } from "./about-itself.ts";
import type { Skill } from "./conversation.ts";
import { takeGreetings } from "./greetings.ts";

/**
 * The instruction that a service sends to a translation model. The names are short, so their length is bounded: a
 * long text without a colon is then refused at once.
 */
const instruction =
  /^(?:please )?translate(?: (?:this|the following)(?: text| sentence)?)?(?: from (?<source>[^:\n]{1,60}?))? (?:in)?to (?<target>[^:\n]{1,60}?) ?:\s*(?<text>\S[\s\S]*)$/iu;

/**
 * `Translate from English to Luganda: …` returns the translation and nothing else, as a model should. Missing words
 * are named in brackets instead.
 */
export const followTranslationInstruction: Skill = ({ message }) => {
  const { source, target, text } = instruction.exec(message)?.groups ?? {};
  if (target === undefined || text === undefined) return undefined;
  const runs = translateRuns({ text, target, ...(source === undefined ? {} : { source }) });
  return runs.map((run) => (run.translation ?? missing(run, target)) + run.gap).join("");
};

const missing = ({ original }: TranslatedRun, target: string): string =>
  `[sample server: no translation of ${quote(original)} into ${target}; ${connectHint}]`;

const language = "(?:the )?(?<target>[\\p{L}'’-]{2,30})(?: language)?";
const wording = "(?<text>.{1,300}?)";

/** Ways to request a translation in passing. Lengths are bounded so that no message takes long to refuse. */
const requests = [
  `^how (?:do|can|would|should) (?:you|i|we|one|they) say ${wording} in ${language}$`,
  `^how to say ${wording} in ${language}$`,
  `^(?:can|could) you (?:say|translate) ${wording} (?:in|to|into) ${language}$`,
  `^(?:please )?(?:say|translate) ${wording} from (?<source>[\\p{L}'’-]{2,30}) (?:in|to|into) ${language}$`,
  `^(?:please )?(?:say|translate) ${wording} (?:in|to|into) ${language}$`,
].map((pattern) => new RegExp(pattern, "iu"));

/** Without a language of their own these mean English. */
const meaningRequest = new RegExp(`^what does ${wording} mean(?: in ${language})?$`, "iu");

/** Asked of any subject (`what is malaria in pregnancy`), so it counts only with a language of the phrasebook. */
const vagueRequest = new RegExp(`^what(?: is|'s|’s) ${wording} in ${language}$`, "iu");

/** `How do you say "thank you" in Swahili?` and the like. */
export const replyToTranslationQuestion: Skill = ({ message }) => {
  const requested = readRequest(withoutClosing(takeGreetings(message).rest));
  if (!requested) return undefined;
  const target = findLanguage(requested.target);
  if (!target) {
    return `I have no phrases in ${capitalise(requested.target)}, only in ${listLanguageNames()}. ${disclosure}`;
  }
  const runs = translateRuns(requested);
  const translation = runs.map((run) => (run.translation ?? "") + run.gap).join("");
  if (runs.some((run) => run.translation === undefined)) {
    return `I have no ${languageName(target)} for ${quote(requested.text)}; ${connectHint}. ${disclosure}`;
  }
  return `${quote(requested.text)} in ${languageName(target)} is ${quote(translation)}. ${disclosure}`;
};

type Request = { text: string; target: string; source?: string };

const readRequest = (question: string): Request | undefined => {
  for (const pattern of [...requests, meaningRequest, vagueRequest]) {
    const { text, target = "English", source } = pattern.exec(question)?.groups ?? {};
    if (text === undefined) continue;
    if (pattern === vagueRequest && !findLanguage(target)) continue;
    return { text: withoutQuotes(text), target, ...(source === undefined ? {} : { source }) };
  }
  return undefined;
};

const withoutClosing = (question: string): string => question.replace(/[\s?.!]{1,10}$/u, "");

const withoutQuotes = (text: string): string => text.replace(/^["'“”‘’«]|["'“”‘’»]$/gu, "");

/** A message that is a phrase of the phrasebook and asks nothing gets the phrase in all its languages. */
export const showPhrase: Skill = ({ message }) => {
  const [spoken] = languagesOf(message);
  const phrase = spoken && findPhrase(message, spoken);
  if (!phrase) return undefined;
  const wordings = phrasebookLanguages.flatMap((language) => {
    const given = phrase[language]?.[0];
    return given === undefined || language === spoken ? [] : [`${languageName(language)} ${quote(given)}`];
  });
  return `${quote(message)} is ${languageName(spoken)}; in other languages: ${wordings.join(", ")}. ${disclosure}`;
};
