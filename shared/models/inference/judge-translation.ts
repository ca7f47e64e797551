import { isRepetitive } from "./repetition.ts";
import type { TranslationFault } from "./translation-faults.ts";

/** What is known about a translation besides the reply. */
export interface TranslationTask {
  readonly source: string;
  /** ISO 639-3; `undefined` if the caller did not name it. */
  readonly sourceCode: string | undefined;
  /** ISO 639-3. */
  readonly targetCode: string | undefined;
  /** What the model was sent besides the text: its system message, and its instruction around the text. */
  readonly instructions: readonly string[];
}

/** Detects the language of a text: an ISO 639-3 code, or `undefined` if it is not sure. */
export type DetectLanguage = (text: string) => string | undefined;

/** Languages so close that a text may be right in both, or that the detector mistakes for each other. */
const groups: readonly (readonly string[])[] = [
  ["nyn", "cgg"],
  ["nyo", "ttj"],
  ["lug", "xog"],
];

const areClose = (one: string, other: string | undefined): boolean =>
  one === other || groups.some((group) => group.includes(one) && group.includes(other ?? ""));

/** A text without the tags of documents and of markup. */
const withoutTags = (text: string): string => text.replaceAll(/<[^<>\n]{1,200}>/gu, " ");

const wordsOf = (text: string): string[] => text.split(/\s+/u).filter((word) => /[\p{L}\p{N}]/u.test(word));

/** Addresses and placeholders. */
const staysAsItIs = /[@\\/{}<>%$=_]|\p{L}\.\p{L}/u;

/** Counts the words that a translation changes: names and titles, numbers, addresses and placeholders often stay. */
const translatableWords = (text: string): number =>
  wordsOf(withoutTags(text)).filter((word) => /^[\p{P}\p{S}]*\p{Ll}/u.test(word) && !staysAsItIs.test(word))
    .length;

const minTranslatableWords = 4;

/** In shorter texts the detector is too often wrong. */
const minDetectedWords = 6;

/** A text without what may differ between two equal ones: tags, case, punctuation and blanks. */
const plain = (text: string): string =>
  withoutTags(text)
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[\p{P}\p{S}\s]+/gu, " ")
    .trim();

const isUnchanged = (
  reply: string,
  { source, sourceCode, targetCode }: TranslationTask,
  detect: DetectLanguage,
): boolean => {
  if (translatableWords(source) < minTranslatableWords || plain(reply) !== plain(source)) return false;
  const code = sourceCode ?? detect(source);
  return code === undefined || !areClose(code, targetCode);
};

interface RefusalWords {
  /** In which only models refuse. */
  readonly ofModels: RegExp;
  /** In which people do as well. */
  readonly ofPeople: RegExp;
  /** A source with such words may be translated into a refusal. */
  readonly excuses: RegExp;
}

/** Words of refusal by language, by the code of ISO 639-3. */
const refusals: Readonly<Record<string, RefusalWords>> = {
  eng: {
    ofModels:
      /\bas an? (?:ai\b|artificial|(?:\w+ )?language model)|\bi(?:['’]m| am) (?:just |only )?an? (?:ai\b|(?:\w+ )?language model)|\b(?:i|we)\b[^.!?]{0,40}\b(?:can(?:no|['’])t|can not|could(?:n['’]t| not)|unable|not able|won['’]t|will not|don['’]t|do not|decline)\b[^.!?]{0,40}\b(?:translat\w*|assist|comply|fulfil\w*|(?:help|process|provide|complete) (?:you )?(?:with )?(?:that|this))\b|\bplease (?:provide|share|enter|give me|send)\b[^.]{0,60}\b(?:translat\w*|more context)\b|\btranslation (?:is )?(?:not|un) ?(?:available|possible)\b|\bno translation\b/iu,
    ofPeople:
      /\b(?:(?:i(?:['’]m| am) (?:\w+ )?(?:sorry|afraid)|sorry|my apologies|apologi[sz]e|unfortunately|regret)\b[^.!?]{0,60}\b(?:can(?:no|['’])t|can not|unable|not able|not sure|won['’]t|will not|don['’]t|do not|could(?:n['’]t| not)|am not|['’]m not)|i (?:can(?:no|['’])t|can not|am unable|am not able|do(?: not|n['’]t) (?:know|understand|speak))|i['’]m (?:unable|not able))\b/iu,
    excuses:
      /\b(?:sorry|apolog\w*|excuse|pardon|forgive|regret\w*|afraid|unfortunately|can(?:no|['’])t|can not|could(?:n['’]t| not)|unable|not able|impossible|not possible|fail\w*|won['’]t|will not|do(?:n['’]t| not)|no idea|not sure)\b/iu,
  },
  swa: {
    ofModels:
      /\b(?:modeli ya lugha|(?:siwezi|sitaweza) (?:ku)?(?:tafsiri|kusaidia|saidia|kukusaidia|jibu)|kama (?:ai|akili (?:bandia|mnemba)))\b/iu,
    ofPeople:
      /\b(?:samahani|naomba radhi|niwie radhi|kwa bahati mbaya)\b[^.!?]{0,40}\b(?:siwezi|sijui|sielewi|sitaweza)\b/iu,
    excuses:
      /\b(?:samahani|pole\w*|radhi|bahati mbaya|si(?:wezi|jui|elewi|taweza|kuweza|na|tambui|kubali)|hatuwezi|hawezi|haiwezekani)\b/iu,
  },
  lug: {
    ofModels: /\b(?:sisobola|siyinza) (?:kuvvuunula|kutaputa|kukuyamba|kuyamba)\b/iu,
    ofPeople:
      /\b(?:nsonyiwa|munsonyiwe|neetonda|twetonda)\b[^.!?]{0,40}\bs+i(?:sobola|yinza|manyi|tegeera)\b/iu,
    excuses: /sonyiw|kitalo|bambi|etond|\bs+i(?:sobola|yinza|manyi|tegeera|jja|rina)|\bte\w*(?:sobol|yinz)/iu,
  },
};

/** Further English words of refusal, for replies to texts for another language. */
const englishRefusal =
  /\b(?:as an? (?:\w+ )?assistant|must decline|violat\w+|please (?:provide|share|enter|give me|send)\b[^.]{0,40}\b(?:text|sentence|phrase|context))\b/iu;

/** How such replies begin. */
const englishApology =
  /^[\s*_]*(?:i(?:['’]m| am) (?:\w+ )?sorry|sorry,|i apologi[sz]e|my apologies|unfortunately)\b/iu;

/** A refusal begins a reply; what follows it is an excuse. */
const maxRefusalStart = 160;

/** Whether a source has words that are translated into a refusal; `undefined` where its language's words are not known. */
const mayRefuse = (source: string, code: string | undefined): boolean | undefined => {
  if (code !== undefined) return refusals[code]?.excuses.test(source);
  return Object.values(refusals).some(({ excuses }) => excuses.test(source));
};

/** A translation into a language other than English has English words of refusal only where it quotes its source. */
const isEnglishRefusal = (start: string, source: string): boolean => {
  const { ofModels, ofPeople } = refusals["eng"] ?? {};
  const begins = /^[\s*_]*i\b/iu.test(start) || englishApology.test(start);
  return [ofModels, ofPeople, englishRefusal, englishApology].some(
    (words) => words?.test(start) && (!words.test(source) || begins),
  );
};

const isRefusal = (reply: string, { source, sourceCode, targetCode }: TranslationTask): boolean => {
  const start = reply.slice(0, maxRefusalStart);
  if (targetCode !== "eng" && isEnglishRefusal(start, source)) return true;
  const words = refusals[targetCode ?? ""];
  if (!words) return false;
  const isExcuse = mayRefuse(source, sourceCode);
  if (words.ofModels.test(start)) return !isExcuse;
  return isExcuse === false && words.ofPeople.test(start);
};

/** Shorter parts of an instruction occur in ordinary texts. */
const minInstructionPart = 12;

const repeatsInstruction = (reply: string, { source, instructions }: TranslationTask): boolean => {
  const [said, given] = [plain(reply), plain(source)];
  return instructions
    .flatMap((instruction) => instruction.split(/[.\n]/u))
    .map(plain)
    .some((part) => part.length >= minInstructionPart && said.includes(part) && !given.includes(part));
};

/** Sentences and lines. */
const partsOf = (text: string): string[] =>
  text.split(/\n+|(?<=[.!?…]["'”’»)]{0,2})\s+/u).filter((part) => /\p{L}/u.test(part));

/** Whether a reply is in the source language, or in English, in which models explain; or what it says more than its source is. */
const isInWrongLanguage = (
  reply: string,
  { source, sourceCode, targetCode }: TranslationTask,
  detect: DetectLanguage,
): boolean => {
  const isWrong = (text: string): boolean => {
    if (wordsOf(text).length < minDetectedWords || translatableWords(text) < minTranslatableWords)
      return false;
    const found = detect(text);
    if (found === undefined || areClose(found, targetCode)) return false;
    const code = sourceCode ?? detect(source);
    return found === "eng" || (code !== undefined && areClose(found, code));
  };
  return isWrong(withoutTags(reply)) || partsOf(reply).slice(partsOf(source).length).some(isWrong);
};

/**
 * Decides whether the reply of a model is a translation, as far as that is certain. How good it is is not judged.
 *
 * @param reply without framing and thoughts.
 * @returns why it is not one; `undefined` for a translation.
 */
export const faultOfTranslation = (
  reply: string,
  task: TranslationTask,
  detect: DetectLanguage,
): TranslationFault | undefined => {
  if (!/[\p{L}\p{N}]/u.test(withoutTags(reply)) && /[\p{L}\p{N}]/u.test(withoutTags(task.source)))
    return "empty";
  if (isRepetitive(reply, task.source)) return "repetitive";
  if (isUnchanged(reply, task, detect)) return "unchanged";
  if (isRefusal(reply, task)) return "refused";
  if (repeatsInstruction(reply, task)) return "instruction_repeated";
  if (isInWrongLanguage(reply, task, detect)) return "wrong_language";
  return undefined;
};
