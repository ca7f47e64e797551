import { type ConsoleLanguage, localeOf } from "../texts/languages.ts";

const format = (time: string | number, language: ConsoleLanguage, parts: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(localeOf(language), { ...parts, timeZone: "UTC" }).format(new Date(time));

/** A day in UTC. */
export const dayOf = (time: string | number, language: ConsoleLanguage): string =>
  format(time, language, { dateStyle: "medium" });

/** @param month such as `2026-11`. */
export const monthName = (month: string, language: ConsoleLanguage): string =>
  format(month, language, { month: "long", year: "numeric" });

/** A time in UTC: the server does not know the reader's time zone. */
export const momentOf = (
  time: string | number,
  language: ConsoleLanguage,
  timeStyle: "short" | "medium" = "short",
): string => `${format(time, language, { dateStyle: "medium", timeStyle })} UTC`;

export const numbersIn = (language: ConsoleLanguage, fractionDigits = 0): Intl.NumberFormat =>
  new Intl.NumberFormat(localeOf(language), { maximumFractionDigits: fractionDigits });
