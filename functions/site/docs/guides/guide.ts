import { defaultVendors, inVendorsNames } from "../../../../shared/platform/config/vendors.ts";

/** A part of a guide. Texts are Markdown with code and links, and nothing else. */
export type GuidePart =
  | { readonly heading: string }
  | { readonly text: string }
  | { readonly list: readonly string[] }
  | {
      readonly caption: string;
      readonly columns: readonly string[];
      readonly rows: readonly (readonly string[])[];
    }
  | { readonly language: GuideLanguage; readonly code: string };

/** The languages of code in guides. */
export const guideLanguages = ["sh", "typescript", "python", "json", "http", "diff"] as const;
export type GuideLanguage = (typeof guideLanguages)[number];

/** A page that explains one subject. */
export interface Guide {
  /** Its name in the address: `first-call`. */
  readonly name: string;
  readonly title: string;
  /** One sentence: what the reader learns. */
  readonly summary: string;
  /** The heading above it in the table of contents. */
  readonly group: string;
  readonly parts: readonly GuidePart[];
}

/** The guide's code in one language, with the address of the service. @param baseUrl without a slash at the end. */
export const codeOf = (guide: Guide | undefined, language: GuideLanguage, baseUrl: string): string[] =>
  (guide?.parts ?? []).flatMap((part) =>
    "code" in part && part.language === language ? [withAddress(part.code, baseUrl)] : [],
  );

/** Fills in the address of the service for `{{baseUrl}}`, and a stage's names of the providers in paths. */
export const withAddress = (text: string, baseUrl: string, vendors = defaultVendors): string =>
  text
    .replaceAll("{{baseUrl}}", baseUrl)
    .replaceAll(/\/tasks\/\w+\//g, (prefix) => inVendorsNames(prefix, vendors));

/** The lines of a program that lead a client of the OpenAI API here, counted from 1. */
export const clientLines = (code: string): number[] =>
  code
    .split("\n")
    .flatMap((line, index) =>
      /^\s*(?:baseURL|apiKey|base_url|api_base|api_key|const configuration)\b/.test(line) ? [index + 1] : [],
    );

/** A guide with the address of the service and a stage's names in all its parts. */
export const filled = (guide: Guide, baseUrl: string, vendors = defaultVendors): Guide => {
  const fill = (text: string): string => withAddress(text, baseUrl, vendors);
  const parts = guide.parts.map((part): GuidePart => {
    if ("heading" in part) return { heading: fill(part.heading) };
    if ("text" in part) return { text: fill(part.text) };
    if ("list" in part) return { list: part.list.map(fill) };
    if ("code" in part) return { ...part, code: fill(part.code) };
    return { ...part, caption: fill(part.caption), rows: part.rows.map((cells) => cells.map(fill)) };
  });
  return { ...guide, parts };
};
