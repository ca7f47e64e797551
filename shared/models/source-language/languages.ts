/**
 * The languages that the model was trained on: those of the 32 languages of translation for which there is text, and then three
 * neighbours that would otherwise be mistaken for them (Luo, Lunyala and Kirundi). ISO 639-3, in the order of the model's classes.
 */
export const modelledLanguages = [
  ...["ach", "adh", "alz", "bfa", "cgg", "eng", "gwr", "kdi", "kdj", "keo", "kin", "koo", "kpz", "laj"],
  ...["lgg", "lsm", "luc", "lug", "mhi", "myx", "nuj", "nyn", "nyo", "swa", "teo", "tlj", "ttj", "xog"],
  ...["luo", "lwg", "run"],
];

/** The class of every other language; the modelled ones have the classes before it. */
export const foreignClass = modelledLanguages.length;

export const sourceClassCount = foreignClass + 1;

/** A result needs at least this probability. README.md shows the precision that each language has with it. */
export const minProbability = 0.95;

/**
 * The languages that a result may name: at least 95% of the results are right on held-out text. README.md says why each of the
 * others is missing: too little text to measure it, or a close relative that looks alike.
 */
export const detectableLanguages = [
  ...["ach", "adh", "alz", "eng", "kin", "lgg", "lug", "myx", "nuj", "nyn", "swa", "teo", "xog"],
] as const;
