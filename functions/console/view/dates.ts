import { type ConsoleLanguage, localeOf } from "../texts/languages.ts";

const format = (time: string | number, language: ConsoleLanguage, parts: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(localeOf(language), { ...parts, timeZone: "UTC" }).format(new Date(time));

/** A day as people write it, in UTC as all days of the service. */
export const dayOf = (time: string | number, language: ConsoleLanguage): string =>
  format(time, language, { dateStyle: "medium" });

/** A moment as people write it, in UTC: the server does not know where its reader is. */
export const momentOf = (time: string | number, language: ConsoleLanguage): string =>
  `${format(time, language, { dateStyle: "medium", timeStyle: "short" })} UTC`;

/** Writes numbers as people do. */
export const numbersIn = (language: ConsoleLanguage, fractionDigits = 0): Intl.NumberFormat =>
  new Intl.NumberFormat(localeOf(language), { maximumFractionDigits: fractionDigits });
