/** A language the service knows by a code of its own. */
export interface Language {
  /** ISO 639-3, except where the service's public contract has its own code (`pok` for Pokot). */
  readonly code: string;
  /** The name callers and models use. */
  readonly name: string;
  /** Other codes and names that can mean no other language of the list. */
  readonly aliases: readonly string[];
}

const language = (code: string, name: string, ...aliases: string[]): Language => ({ code, name, aliases });

/** The 32 languages of translation, by code (specification, section Translation). */
export const translationLanguages: readonly Language[] = [
  language("ach", "Acholi", "Acoli"),
  language("adh", "Jopadhola", "Dhopadhola"),
  language("alz", "Alur"),
  language("bfa", "Bari"),
  language("cgg", "Rukiga", "Kiga"),
  language("eng", "English", "en"),
  language("gwr", "Lugwere", "Gwere"),
  language("kdi", "Kumam"),
  language("kdj", "Karamojong"),
  language("keo", "Kakwa"),
  language("kin", "Kinyarwanda", "rw"),
  language("koo", "Rukonjo", "Konzo"),
  language("kpz", "Kupsabiny"),
  language("laj", "Lango"),
  language("lgg", "Lugbara"),
  language("lsm", "Samia"),
  language("luc", "Aringa"),
  language("lug", "Luganda", "lg", "Ganda"),
  language("mhi", "Ma'di", "Madi"),
  language("myx", "Lumasaba", "Masaaba"),
  language("nuj", "Lunyole", "Nyole"),
  language("nyn", "Runyankole", "Runyankore", "Nyankole"),
  language("nyo", "Runyoro", "Nyoro"),
  language("pok", "Pokot", "pko"),
  language("rub", "Lugungu", "Gungu"),
  language("ruc", "Ruruuli", "Ruuli"),
  language("rwm", "Kwamba", "Amba"),
  language("swa", "Swahili", "sw", "swh", "Kiswahili"),
  language("teo", "Ateso", "Teso"),
  language("tlj", "Lubwisi", "Talinga"),
  language("ttj", "Rutooro", "Tooro"),
  language("xog", "Lusoga", "Soga"),
];

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
