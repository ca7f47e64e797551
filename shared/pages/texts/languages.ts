import * as z from "zod";
import { builtTexts } from "./built-texts.ts";

/** The words of all pages in one language. Every language has the keys of the English ones; `fill` replaces names in braces. */
export type Texts = (typeof builtTexts)["en"];

/** The languages of the console, as BCP 47 tags. */
export const consoleLanguages = ["en", "lg", "sw"] as const;
export type ConsoleLanguage = (typeof consoleLanguages)[number];

/** The words of each language. No speaker has reviewed Luganda and Swahili, so a stage must turn them on. */
export const textsOf: Readonly<Record<ConsoleLanguage, Texts>> = builtTexts;

export const languageNames: Readonly<Record<ConsoleLanguage, string>> = {
  en: "English",
  lg: "Luganda",
  sw: "Kiswahili",
};

/** For dates and numbers. */
export const localeOf = (language: ConsoleLanguage): string => `${language}-UG`;

/** The languages that a stage offers, such as `en,sw`. No speaker has reviewed the drafts, so the default is English only. */
export const consoleLanguagesVariable = z
  .string()
  .transform((value) => value.split(",").map((tag) => tag.trim()))
  .pipe(z.array(z.enum(consoleLanguages)).min(1));

/** The tags of an `Accept-Language` header, by preference (RFC 9110, 12.5.4). */
const acceptedTags = (header: string): string[] =>
  header
    .split(",")
    .map((range) => {
      const [tag = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
      const quality = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
      return { tag, quality: quality === undefined ? 1 : Number(quality) };
    })
    .filter(({ quality }) => quality > 0)
    .toSorted((one, other) => other.quality - one.quality)
    .map(({ tag }) => tag);

/**
 * The language of a page: the chosen one, then the browser's, then the first.
 *
 * @param offered the stage's languages, at least one.
 * @param chosen from the query or a cookie; can be any text.
 */
export const chooseConsoleLanguage = (
  offered: readonly ConsoleLanguage[],
  chosen: readonly (string | undefined)[],
  acceptLanguage: string | undefined,
): ConsoleLanguage => {
  const wanted = [
    ...chosen,
    ...acceptedTags(acceptLanguage ?? "").map((tag) => (/^lug\b/.test(tag) ? "lg" : tag.split("-")[0])),
  ];
  for (const tag of wanted) {
    const language = offered.find((known) => known === tag);
    if (language) return language;
  }
  return offered[0] ?? "en";
};

/** Replaces placeholders such as `{name}`. */
export const fill = (text: string, values: Readonly<Record<string, string | number>>): string =>
  text.replace(/\{(\w+)\}/g, (placeholder, name: string) => String(values[name] ?? placeholder));
