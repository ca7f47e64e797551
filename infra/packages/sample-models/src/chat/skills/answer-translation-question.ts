import { findLanguage, languageName, listLanguageNames } from "../../phrasebook/languages.ts";
import { translateRuns } from "../../phrasebook/translate.ts";
import { capitalise } from "../../phrasebook/wording.ts";
import { connectHint, disclosure, quote } from "../disclosure.ts";
import { takeGreetings } from "../greeting.ts";
import type { Skill } from "../skill.ts";

const language = "(?:the )?(?<target>[\\p{L}'’-]{2,30})(?: language)?";
const wording = "(?<text>.{1,300}?)";

/** Ways to ask for a translation in passing. Lengths are bounded so that no message takes long to refuse. */
const requests = [
  `^how (?:do|can|would|should) (?:you|i|we|one|they) say ${wording} in ${language}$`,
  `^how to say ${wording} in ${language}$`,
  `^(?:can|could) you (?:say|translate) ${wording} (?:in|to|into) ${language}$`,
  `^(?:please )?(?:say|translate) ${wording} from (?<source>[\\p{L}'’-]{2,30}) (?:in|to|into) ${language}$`,
  `^(?:please )?(?:say|translate) ${wording} (?:in|to|into) ${language}$`,
].map((pattern) => new RegExp(pattern, "iu"));

/** Without a language of their own these ask for English. */
const meaningRequest = new RegExp(`^what does ${wording} mean(?: in ${language})?$`, "iu");

/** Asked of any subject (`what is malaria in pregnancy`), so it counts only with a language of the phrasebook. */
const vagueRequest = new RegExp(`^what(?: is|'s|’s) ${wording} in ${language}$`, "iu");

/** `How do you say "thank you" in Swahili?` and the like. */
export const answerTranslationQuestion: Skill = ({ message }) => {
  const asked = readRequest(withoutClosing(takeGreetings(message).rest));
  if (!asked) return undefined;
  const target = findLanguage(asked.target);
  if (!target) {
    return `I have no phrases in ${capitalise(asked.target)}, only in ${listLanguageNames()}. ${disclosure}`;
  }
  const runs = translateRuns(asked);
  const translation = runs.map((run) => (run.translation ?? "") + run.gap).join("");
  if (runs.some((run) => run.translation === undefined)) {
    return `I have no ${languageName(target)} for ${quote(asked.text)}; ${connectHint}. ${disclosure}`;
  }
  return `${quote(asked.text)} in ${languageName(target)} is ${quote(translation)}. ${disclosure}`;
};

type Request = { text: string; target: string; source?: string };

function readRequest(question: string): Request | undefined {
  for (const pattern of [...requests, meaningRequest, vagueRequest]) {
    const { text, target = "English", source } = pattern.exec(question)?.groups ?? {};
    if (text === undefined) continue;
    if (pattern === vagueRequest && !findLanguage(target)) continue;
    return { text: withoutQuotes(text), target, ...(source === undefined ? {} : { source }) };
  }
  return undefined;
}

function withoutClosing(question: string): string {
  return question.replace(/[\s?.!]{1,10}$/u, "");
}

function withoutQuotes(text: string): string {
  return text.replace(/^["'“”‘’«]|["'“”‘’»]$/gu, "");
}
