import { isRepetitive } from "./repetition.ts";

/** Why a reply is no translation. */
export const translationFaults = [
  "empty",
  "unchanged",
  "refused",
  "instruction_repeated",
  "source_language",
  "repetitive",
] as const;
export type TranslationFault = (typeof translationFaults)[number];

/** What is known about a translation besides the reply. */
export interface TranslationTask {
  readonly source: string;
  /** ISO 639-3; `undefined` if the caller did not name it. */
  readonly sourceCode: string | undefined;
  /** ISO 639-3. */
  readonly targetCode: string;
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

const areClose = (one: string, other: string): boolean =>
  one === other || groups.some((group) => group.includes(one) && group.includes(other));

const wordsOf = (text: string): string[] => text.split(/\s+/u).filter((word) => /[\p{L}\p{N}]/u.test(word));

/** Addresses, placeholders and tags. */
const staysAsItIs = /[@\\/{}<>%$=_]|\p{L}\.\p{L}/u;

/** Counts the words that a translation changes: names and titles, numbers, addresses and placeholders often stay. */
const translatableWords = (text: string): number =>
  wordsOf(text).filter((word) => /^[\p{P}\p{S}]*\p{Ll}/u.test(word) && !staysAsItIs.test(word)).length;

const minTranslatableWords = 4;

/** Whether a text is more than names: four words that a translation changes, or a sentence of nothing else. */
const mustChange = (text: string): boolean => {
  const translatable = translatableWords(text);
  if (translatable >= minTranslatableWords) return true;
  return (
    translatable >= 2 && translatable >= wordsOf(text).length - 1 && /[.?!]["'”’»)]*$/u.test(text.trim())
  );
};

/** In shorter texts the detector is too often wrong. */
const minDetectedWords = 6;

/** A text without what may differ between two equal ones: case, punctuation and blanks. */
const plain = (text: string): string =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[\p{P}\p{S}\s]+/gu, " ")
    .trim();

const isSame = (reply: string, source: string): boolean => plain(reply) === plain(source);

const isUnchanged = (
  reply: string,
  { source, sourceCode, targetCode }: TranslationTask,
  detect: DetectLanguage,
): boolean => {
  if (!isSame(reply, source) || !mustChange(source)) return false;
  const code = sourceCode ?? detect(source);
  return code === undefined || !areClose(code, targetCode);
};

/** Words in which only models refuse, and words in which people do as well, by language. */
const refusals: Readonly<Record<string, { readonly ofModels: RegExp; readonly ofPeople: RegExp }>> = {
  eng: {
    ofModels:
      /\bas an? (?:ai|language model|assistant)\b|\blanguage model\b|\b(?:can(?:no|['’])t|can not|unable to|not able to|won['’]t|will not) (?:\w+ )?(?:translate|assist|fulfil|comply|provide|process|help (?:you )?with (?:that|this))\b/iu,
    ofPeople:
      /\b(?:i(?:['’]m| am) (?:very )?(?:sorry|afraid|unable|not able)|sorry, (?:but )?i\b|i apologi[sz]e|i (?:can(?:no|['’])t|can not|do(?: not|n['’]t) (?:know|understand|speak)))/iu,
  },
  swa: {
    ofModels:
      /\b(?:modeli ya lugha|siwezi (?:ku)?(?:tafsiri|kusaidia|kukusaidia|jibu)|kama (?:ai|akili (?:bandia|mnemba)))\b/iu,
    ofPeople: /\b(?:samahani|naomba radhi|siwezi|sijui|sielewi)\b/iu,
  },
  lug: {
    ofModels: /\bsisobola (?:kuvvuunula|kukuyamba|kuyamba)\b/iu,
    ofPeople: /\b(?:nsonyiwa|sisobola|simanyi|sitegeera)\b/iu,
  },
};

/** A refusal begins a reply; what follows it is an excuse. */
const maxRefusalStart = 160;

/** Whether a source apologises itself is only seen in the languages whose words are known. */
const isRefusal = (reply: string, { source, sourceCode, targetCode }: TranslationTask): boolean => {
  const start = reply.slice(0, maxRefusalStart);
  return Object.entries(refusals).some(([language, { ofModels, ofPeople }]) => {
    if (ofModels.test(start) && !ofModels.test(source)) return true;
    if (!ofPeople.test(start)) return false;
    // No translation into another language says it in English.
    if (language !== targetCode) return language === "eng";
    const ofSource = refusals[sourceCode ?? ""]?.ofPeople;
    return ofSource !== undefined && !ofSource.test(source);
  });
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

const paragraphsOf = (text: string): string[] => text.split(/\n\s*\n/u).filter((part) => part.trim() !== "");

/** A reply as a whole, and explanations that follow a translation as paragraphs of their own. */
const isInSourceLanguage = (
  reply: string,
  { source, sourceCode, targetCode }: TranslationTask,
  detect: DetectLanguage,
): boolean => {
  const isSource = (text: string): boolean => {
    if (wordsOf(text).length < minDetectedWords || translatableWords(text) < minTranslatableWords)
      return false;
    const found = detect(text);
    if (found === undefined || areClose(found, targetCode)) return false;
    const code = sourceCode ?? detect(source);
    return code !== undefined && areClose(found, code);
  };
  const paragraphs = paragraphsOf(reply);
  const additional = paragraphs.slice(paragraphsOf(source).length);
  return (isSource(reply) && !isSame(reply, source)) || additional.some(isSource);
};

/**
 * Decides whether the reply of a model is a translation, as far as that is certain. How good it is is not judged.
 *
 * @param reply without framing and thoughts.
 * @returns why it is none; `undefined` for a translation.
 */
export const faultOfTranslation = (
  reply: string,
  task: TranslationTask,
  detect: DetectLanguage,
): TranslationFault | undefined => {
  if (!/[\p{L}\p{N}]/u.test(reply) && /[\p{L}\p{N}]/u.test(task.source)) return "empty";
  if (isRepetitive(reply, task.source)) return "repetitive";
  if (isUnchanged(reply, task, detect)) return "unchanged";
  if (isRefusal(reply, task)) return "refused";
  if (repeatsInstruction(reply, task)) return "instruction_repeated";
  if (isInSourceLanguage(reply, task, detect)) return "source_language";
  return undefined;
};
