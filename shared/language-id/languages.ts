/** The languages that can be identified, ISO 639-3: Acholi, Ateso, English, Luganda, Lugbara, Runyankole. */
export const identifiableLanguages = ["ach", "teo", "eng", "lug", "lgg", "nyn"] as const;

export type IdentifiableLanguage = (typeof identifiableLanguages)[number];
