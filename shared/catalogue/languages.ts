/** What a language can be used for. Speech is synthesised in the languages that have voices: `voices.ts`. */
export type LanguageTask = "translation" | "transcription";

/** A language the service knows by a code of its own. */
export interface Language {
  /** ISO 639-3, except where the service's public contract has its own code (`pok` for Pokot). */
  readonly code: string;
  /** The name callers and models use. */
  readonly name: string;
  readonly tasks: readonly LanguageTask[];
  /** Other codes and names that can mean no other language of the list. */
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
export const languages: readonly Language[] = [
  language("ach", "Acholi", both, "Acoli"),
  language("adh", "Jopadhola", translated, "Dhopadhola"),
  language("afr", "Afrikaans", transcribed),
  language("aka", "Akan", transcribed),
  language("alz", "Alur", translated),
  language("amh", "Amharic", transcribed),
  language("bam", "Bambara", transcribed),
  language("bem", "Bemba", transcribed),
  language("ber", "Berber", transcribed),
  language("bfa", "Bari", translated),
  language("cgg", "Rukiga", both, "Kiga"),
  language("dag", "Dagbani", transcribed),
  language("dga", "Dagaare", transcribed),
  language("eng", "English", both, "en"),
  language("ewe", "Ewe", transcribed),
  language("fra", "French", transcribed),
  language("ful", "Fulani", transcribed),
  language("gwr", "Lugwere", translated, "Gwere"),
  language("hau", "Hausa", transcribed),
  language("ibo", "Igbo", transcribed),
  language("kab", "Kabyle", transcribed),
  language("kau", "Kanuri", transcribed),
  language("kdi", "Kumam", translated),
  language("kdj", "Karamojong", translated),
  language("keo", "Kakwa", translated),
  language("kik", "Kikuyu", transcribed),
  language("kin", "Kinyarwanda", both, "rw"),
  language("kln", "Kalenjin", transcribed),
  language("koo", "Rukonjo", both, "Konzo"),
  language("kpo", "Ikposo", transcribed),
  language("kpz", "Kupsabiny", translated),
  language("laj", "Lango", translated),
  language("led", "Lendu", transcribed),
  language("lgg", "Lugbara", both),
  language("lin", "Lingala", transcribed),
  language("lsm", "Samia", translated),
  language("lth", "Thur", transcribed),
  language("luc", "Aringa", translated),
  language("lug", "Luganda", both, "lg", "Ganda"),
  language("luo", "Luo", transcribed),
  language("luy", "Luhya", transcribed),
  language("mhi", "Ma'di", translated, "Madi"),
  language("mlg", "Malagasy", transcribed),
  language("myx", "Lumasaba", both, "Masaaba"),
  language("nbl", "Ndebele", transcribed),
  language("nuj", "Lunyole", translated, "Nyole"),
  language("nya", "Chichewa", transcribed),
  language("nyn", "Runyankole", both, "Runyankore", "Nyankole"),
  language("nyo", "Runyoro", translated, "Nyoro"),
  language("orm", "Oromo", transcribed),
  language("pcm", "Nigerian Pidgin", transcribed),
  language("pok", "Pokot", translated, "pko"),
  language("rub", "Lugungu", translated, "Gungu"),
  language("ruc", "Ruruuli", both, "Ruuli"),
  language("rwm", "Kwamba", both, "Amba"),
  language("sna", "Shona", transcribed),
  language("som", "Somali", transcribed),
  language("sot", "Sotho", transcribed),
  language("swa", "Swahili", both, "sw", "swh", "Kiswahili"),
  language("teo", "Ateso", both, "Teso"),
  language("tlj", "Lubwisi", translated, "Talinga"),
  language("tsn", "Tswana", transcribed),
  language("ttj", "Rutooro", both, "Tooro"),
  language("wol", "Wolof", transcribed),
  language("xho", "Xhosa", transcribed),
  language("xog", "Lusoga", both, "Soga"),
  language("yor", "Yoruba", transcribed),
  language("zul", "Zulu", transcribed),
];

const languagesOf = (task: LanguageTask): readonly Language[] =>
  languages.filter(({ tasks }) => tasks.includes(task));

/** The 32 languages of translation, by code. */
export const translationLanguages = languagesOf("translation");

/** The 51 languages of transcription, by code. */
export const transcriptionLanguages = languagesOf("transcription");

/** How names are compared: without case, surrounding space, or the shape of an apostrophe. */
const folded = (value: string): string =>
  value
    .normalize("NFKC")
    .replaceAll(/[\u2018\u2019\u02BC\u02B9\u0060\u00B4]/g, "'")
    .trim()
    .toLowerCase();

const byAnyName = new Map(
  translationLanguages.flatMap((entry) =>
    [entry.code, entry.name, ...entry.aliases].map((name) => [folded(name), entry] as const),
  ),
);

/** A language of translation by code, name or alias, in any case; `undefined` when it is none of them. */
export const findTranslationLanguage = (codeOrName: string): Language | undefined =>
  byAnyName.get(folded(codeOrName));
