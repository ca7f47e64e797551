import * as z from "zod";
import { compareText } from "../compare-text.ts";
import { type StageLanguages, stageCatalogue } from "./stage-catalogue.ts";

/** What a language can be used for. Speech is synthesised in the languages that have voices: `voices.ts`. */
export type LanguageTask = "translation" | "transcription";

export interface Language {
  /** ISO 639-3, except where the service's public contract has its own code (`pok` for Pokot). */
  readonly code: string;
  /** The name callers and models use. */
  readonly name: string;
  readonly tasks: readonly LanguageTask[];
  /** Other codes and names that can mean no other language of the list; first its ISO 639-1 code, where it has one. */
  readonly aliases: readonly string[];
}

const language = (
  code: string,
  name: string,
  tasks: readonly LanguageTask[],
  ...aliases: string[]
): Language => ({ code, name, tasks, aliases });

const translated = ["translation"] as const;
const transcribed = ["transcription"] as const;
const both = ["translation", "transcription"] as const;

/**
 * The languages of translation (specification, section Translation) and of transcription, by code. The specification
 * counts the latter and names ten of them; the others are those of the public 51-language model for African languages.
 */
const specifiedLanguages: readonly Language[] = [
  language("ach", "Acholi", both, "Acoli"),
  language("adh", "Jopadhola", translated, "Dhopadhola"),
  language("afr", "Afrikaans", transcribed, "af"),
  language("aka", "Akan", transcribed, "ak", "twi", "tw"),
  language("alz", "Alur", translated),
  language("amh", "Amharic", transcribed, "am"),
  language("bam", "Bambara", transcribed, "bm", "Bamanankan"),
  language("bem", "Bemba", transcribed),
  language("ber", "Berber", transcribed),
  language("bfa", "Bari", translated),
  language("cgg", "Rukiga", both, "Kiga"),
  language("dag", "Dagbani", transcribed),
  language("dga", "Dagaare", transcribed),
  language("eng", "English", both, "en"),
  language("ewe", "Ewe", transcribed, "ee"),
  language("fra", "French", transcribed, "fr"),
  language("ful", "Fulani", transcribed, "ff", "Fulah", "Fula", "Fulfulde"),
  language("gwr", "Lugwere", translated, "Gwere"),
  language("hau", "Hausa", transcribed, "ha"),
  language("ibo", "Igbo", transcribed, "ig"),
  language("kab", "Kabyle", transcribed),
  language("kau", "Kanuri", transcribed, "kr"),
  language("kdi", "Kumam", translated),
  language("kdj", "Karamojong", translated),
  language("keo", "Kakwa", translated),
  language("kik", "Kikuyu", transcribed, "ki", "Gikuyu"),
  language("kin", "Kinyarwanda", both, "rw"),
  language("kln", "Kalenjin", transcribed),
  language("koo", "Rukonjo", both, "Konzo"),
  language("kpo", "Ikposo", transcribed),
  language("kpz", "Kupsabiny", translated),
  language("laj", "Lango", translated),
  language("led", "Lendu", transcribed),
  language("lgg", "Lugbara", both),
  language("lin", "Lingala", transcribed, "ln"),
  language("lsm", "Samia", translated),
  language("lth", "Thur", transcribed),
  language("luc", "Aringa", translated),
  language("lug", "Luganda", both, "lg", "Ganda"),
  language("luo", "Luo", transcribed, "Dholuo"),
  language("luy", "Luhya", transcribed, "Luyia"),
  language("mhi", "Ma'di", translated, "Madi"),
  language("mlg", "Malagasy", transcribed, "mg", "plt"),
  language("myx", "Lumasaba", both, "Masaaba"),
  language("nbl", "Ndebele", transcribed, "nr", "isiNdebele"),
  language("nuj", "Lunyole", translated, "Nyole"),
  language("nya", "Chichewa", transcribed, "ny", "Nyanja", "Chewa"),
  language("nyn", "Runyankole", both, "Runyankore", "Nyankole"),
  language("nyo", "Runyoro", translated, "Nyoro"),
  language("orm", "Oromo", transcribed, "om", "gaz", "Afaan Oromo"),
  language("pcm", "Nigerian Pidgin", transcribed),
  language("pok", "Pokot", translated, "pko"),
  language("rub", "Lugungu", translated, "Gungu"),
  language("ruc", "Ruruuli", both, "Ruuli"),
  language("rwm", "Kwamba", both, "Amba"),
  language("sna", "Shona", transcribed, "sn", "chiShona"),
  language("som", "Somali", transcribed, "so"),
  language("sot", "Sotho", transcribed, "st", "Sesotho"),
  language("swa", "Swahili", both, "sw", "swh", "Kiswahili"),
  language("teo", "Ateso", both, "Teso"),
  language("tlj", "Lubwisi", translated, "Talinga"),
  language("tsn", "Tswana", transcribed, "tn", "Setswana"),
  language("ttj", "Rutooro", both, "Tooro"),
  language("wol", "Wolof", transcribed, "wo"),
  language("xho", "Xhosa", transcribed, "xh", "isiXhosa"),
  language("xog", "Lusoga", both, "Soga"),
  language("yor", "Yoruba", transcribed, "yo"),
  language("zul", "Zulu", transcribed, "zu", "isiZulu"),
];

/**
 * The languages of the specification with those of a stage, by code. A stage can add a task to a language of the specification.
 */
export const languagesWith = (added: StageLanguages | undefined): readonly Language[] => {
  if (added === undefined) return specifiedLanguages;
  const byCode = new Map(specifiedLanguages.map((each) => [each.code, each]));
  const taken = new Set(specifiedLanguages.flatMap(({ aliases }) => aliases));
  for (const task of ["translation", "transcription"] as const) {
    for (const { code, name } of added[task]) {
      const short = Intl.getCanonicalLocales(code).filter((each) => each.length === 2 && !taken.has(each));
      const known = byCode.get(code) ?? language(code, name, [], ...short);
      byCode.set(code, { ...known, tasks: [...known.tasks, task] });
    }
  }
  return [...byCode.values()].toSorted((one, other) => compareText(one.code, other.code));
};

/** All languages, by code: those of the specification, and those that the stage adds. */
export const languages = languagesWith(stageCatalogue.languages);

const languagesOf = (task: LanguageTask): readonly Language[] =>
  languages.filter(({ tasks }) => tasks.includes(task));

/** The languages of translation, by code. */
export const translationLanguages = languagesOf("translation");

/** The languages of transcription, by code. */
export const transcriptionLanguages = languagesOf("transcription");

/** How names are compared: without case, surrounding space, or the shape of an apostrophe. */
const folded = (value: string): string =>
  value
    .normalize("NFKC")
    .replaceAll(/[\u2018\u2019\u02BC\u02B9\u0060\u00B4]/g, "'")
    .trim()
    .toLowerCase();

const byAnyName = new Map(
  languages.flatMap((entry) =>
    [entry.code, entry.name, ...entry.aliases].map((name) => [folded(name), entry] as const),
  ),
);

/** `lg` of the BCP 47 tag `lg-UG`; phones write `lg_UG`. */
const primarySubtag = (value: string): string =>
  /^(?<primary>[a-z]{2,3})(?:[-_][a-z0-9]{2,8})+$/.exec(value)?.groups?.["primary"] ?? value;

/**
 * Finds a language by its ISO 639-3 or ISO 639-1 code, a BCP 47 tag that begins with one, or one of its names, in any case;
 * `undefined` when there is none.
 *
 * @param task the language must support it; by default any language matches.
 */
export const findLanguage = (codeOrName: string, task?: LanguageTask): Language | undefined => {
  const entry = byAnyName.get(primarySubtag(folded(codeOrName)));
  return task === undefined || entry?.tasks.includes(task) ? entry : undefined;
};

/** The code that most programs use: ISO 639-1 where there is one, else ISO 639-3. */
export const shortestCode = ({ code, aliases }: Language): string =>
  aliases[0]?.length === 2 ? aliases[0] : code;

/** For the API's documentation. */
export const languageForms = "ISO 639-3 or ISO 639-1 code, language tag (`lg-UG`) or name, in any case";

/** For the API's documentation, after a sentence: what the source language in a response is when the request does not name it. */
export const detectedSource =
  "When the request does not name it, it is detected from the text; null when the service is not sure";

/** A request field for one of these languages, in any form that {@link findLanguage} knows; outputs its code. */
export const languageField = <const Code extends string>(codes: readonly Code[]) =>
  z
    .string()
    .max(100)
    .transform((value) => findLanguage(value)?.code ?? value)
    .pipe(z.enum(codes));
