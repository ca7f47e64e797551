import { identifiableLanguages } from "../../../../../shared/models/language-id/identification.ts";
import { otherClass } from "../../../../../shared/models/language-id/weights.ts";
import type { CorpusLine } from "./corpus.ts";
import { partOf } from "./random.ts";

/** A line and the class it teaches or tests. */
export interface LabelledLine {
  readonly line: CorpusLine;
  readonly classIndex: number;
  /** Lines of one group are drawn alike: a source, or a language whose neighbours are the six. */
  readonly group: string;
}

/**
 * Languages whose speakers largely understand one of the six: Rukiga and Runyoro for Runyankole, Lusoga for Luganda,
 * Alur for Acholi, Turkana for Ateso, Scots and Nigerian Pidgin for English ... Teaching that they are "other" would
 * cost recall of the six, so they are omitted; the model's card reports its results for them.
 */
export const closeRelatives: ReadonlySet<string> = new Set(
  "cgg nyo ttj xog laj alz luc mhi kdj tuv pcm sco".split(" "),
);

/** Bantu and Nilotic languages, the likeliest to be mistaken for one of the six, and therefore drawn more often. */
export const regional: ReadonlySet<string> = new Set(
  "swa kin run luo adh keo kpz koo bfa myx nuj lwg lsm mas guz kam kik mer lin nya bem zul sna".split(" "),
);

const threeLetterCodes: ReadonlyMap<string, string> = new Map(
  Object.entries({
    af: "afr",
    am: "amh",
    de: "deu",
    ee: "ewe",
    ff: "fuf",
    fr: "fra",
    ha: "hau",
    "ha-ne": "hau",
    hz: "her",
    ki: "kik",
    kj: "kua",
    kr: "knc",
    ng: "ndo",
    nr: "nbl",
    ny: "nya",
    om: "gaz",
    pt: "por",
    so: "som",
    ss: "ssw",
    st: "sot",
    ti: "tir",
    tn: "tsn",
    ts: "tso",
    "tw-akua": "twi",
    "tw-asan": "twi",
    ve: "ven",
    xh: "xho",
    yo: "yor",
    zu: "zul",
  }),
);

/** The ISO 639-3 code of a line's language. */
export const languageOf = (line: CorpusLine): string => threeLetterCodes.get(line.language) ?? line.language;

/** Marks lines of several languages in the source; such a label is no language. */
const undetermined = "und";

/**
 * The languages excluded from training, so that rejection can be measured on languages the model has never seen: a
 * third of those that exist only in the Declaration of Human Rights. One half serves choices, the other only the
 * evaluation.
 */
export const heldOutLanguages = (lines: readonly CorpusLine[]) => {
  const elsewhere = new Set(lines.filter((line) => line.source !== "udhr").map(languageOf));
  const onlyDeclaration = new Set(lines.map(languageOf).filter((language) => !elsewhere.has(language)));
  onlyDeclaration.delete(undetermined);
  const inPart = (part: number) =>
    new Set([...onlyDeclaration].filter((language) => partOf(language, 6) === part));
  return { development: inPart(0), evaluation: inPart(1) };
};

/** The class and the group of a line. */
export const label = (line: CorpusLine): LabelledLine => {
  const language = languageOf(line);
  const known = (identifiableLanguages as readonly string[]).indexOf(language);
  if (known >= 0) return { line, classIndex: known, group: line.source };
  return { line, classIndex: otherClass, group: regional.has(language) ? language : line.source };
};

/** One line in twenty is reserved for the choices of training, and no choice uses anything else. */
const isDevelopment = (line: CorpusLine): boolean => line.split === "valid" || partOf(line.text, 20) === 0;

/** Parts the lines that may be learned from (`train` and `valid`) into those learned from and those for choices. */
export const partition = (lines: readonly CorpusLine[]) => {
  const open = lines.filter((line) => line.split === "train" || line.split === "valid");
  const withheld = heldOutLanguages(open);
  const isUsable = (language: string) => !closeRelatives.has(language) && !withheld.evaluation.has(language);
  const usable = open.filter((line) => isUsable(languageOf(line)));
  const forChoices = (line: CorpusLine) => isDevelopment(line) || withheld.development.has(languageOf(line));
  return {
    training: usable.filter((line) => !forChoices(line)).map(label),
    development: usable.filter(forChoices).map(label),
  };
};
