import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { lexer, type Token, type Tokens } from "marked";
import * as z from "zod";
import { accountTypes } from "../../../../shared/accounts/access/account-access.ts";
import { accountPoliciesWith, defaultAddressLimits } from "../../../../shared/accounts/limits/policies.ts";
import { identifiableLanguages } from "../../../../shared/models/language-id/identification.ts";
import { detectableLanguages } from "../../../../shared/models/source-language/languages.ts";
import {
  findLanguage,
  languages,
  shortestCode,
  transcriptionLanguages,
  translationLanguages,
} from "../../../../shared/platform/catalogue/languages.ts";
import { defaultVoices, synthesisLanguages } from "../../../../shared/platform/catalogue/voices.ts";
import { errorCatalogue } from "../../../../shared/platform/errors/catalogue.ts";
import { type Guide, type GuidePart, guideLanguages } from "./guide.ts";

const frontMatter = z.object({
  title: z.string(),
  summary: z.string(),
  order: z.coerce.number(),
  group: z.string(),
});

const number = new Intl.NumberFormat("en");
const limit = (value: number | undefined, unit = ""): string =>
  value === undefined ? "no limit" : `${number.format(value)}${unit}`;

const tableOf = (
  caption: string,
  columns: readonly string[],
  rows: readonly (readonly string[])[],
): string => {
  const lines = [columns, columns.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
  return [`Table: ${caption}`, "", ...lines].join("\n");
};

const accountLimits = (): string =>
  tableOf(
    "Limits of each plan",
    [
      "Plan",
      "Requests per minute",
      "Model requests per day",
      "Model requests per month",
      "Open streams",
      "Audio in jobs per month",
      "Characters per month",
    ],
    accountTypes.map((type) => {
      const policy = accountPoliciesWith(1)({ account_type: type, email_verified: true });
      const {
        perMinute,
        perDay,
        perMonth,
        streamsAtOnce,
        audioSecondsPerMonth: seconds,
        charactersPerMonth,
      } = policy;
      return [
        type,
        ...[perMinute, perDay, perMonth, streamsAtOnce].map((value) => limit(value)),
        limit(seconds === undefined ? undefined : seconds / 3_600, " hours"),
        limit(charactersPerMonth),
      ];
    }),
  );

const errorCodes = (): string =>
  tableOf(
    "Error codes",
    ["Code", "Status", "Meaning"],
    Object.entries(errorCatalogue)
      .toSorted(([, one], [, other]) => one.status - other.status)
      .map(([code, { status, message }]) => [`\`${code}\``, String(status), message]),
  );

const languageTable = (): string =>
  tableOf(
    "Languages and what each supports",
    ["Language", "Codes", "Translate", "Transcribe", "Voices"],
    languages
      .toSorted((one, other) => one.name.localeCompare(other.name))
      .map((each) => {
        const codes = [...new Set([each.code, shortestCode(each)])].map((code) => `\`${code}\``).join(", ");
        const voices = synthesisLanguages.find(({ code }) => code === each.code)?.voices.length ?? 0;
        return [
          each.name,
          codes,
          each.tasks.includes("translation") ? "yes" : "–",
          each.tasks.includes("transcription") ? "yes" : "–",
          voices === 0 ? "–" : String(voices),
        ];
      }),
  );

const namesOf = (codes: readonly string[]): string => {
  const names = codes.map((code) => findLanguage(code)?.name ?? code);
  return `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
};

/** The facts of the code that guides quote, as `{{name}}`. */
const facts: Readonly<Record<string, () => string>> = {
  accountLimits,
  errorCodes,
  languages: languageTable,
  translationCount: () => String(translationLanguages.length),
  transcriptionCount: () => String(transcriptionLanguages.length),
  speechCount: () => String(synthesisLanguages.length),
  defaultVoice: () => defaultVoices[0] ?? "",
  identifiableLanguages: () => namesOf(identifiableLanguages),
  detectableLanguages: () => namesOf(detectableLanguages),
  anonymousLimit: () => limit(defaultAddressLimits.anonymous),
  credentialsLimit: () => limit(defaultAddressLimits.credentials),
};

const inline = new Set(["text", "codespan", "link", "strong"]);

/** The source of a text. @throws Error for markup that the page does not show. */
const textOf = ({ text, tokens = [] }: { readonly text: string; readonly tokens?: Token[] }): string => {
  const other = tokens.find(({ type }) => !inline.has(type));
  if (other) throw new Error(`Guides cannot show Markdown of the type "${other.type}": ${text}`);
  return text;
};

const tablePart = (caption: string, { header, rows }: Tokens.Table): GuidePart => ({
  caption,
  columns: header.map(textOf),
  rows: rows.map((cells) => cells.map(textOf)),
});

const listPart = ({ items }: Tokens.List): GuidePart => ({
  list: items.map(({ text, tokens }) =>
    textOf({
      text,
      tokens: tokens.flatMap((token) => (token.type === "text" ? (token.tokens ?? []) : token)),
    }),
  ),
});

type Block = Tokens.Space | Tokens.Heading | Tokens.Code | Tokens.List | Tokens.Table | Tokens.Paragraph;

const blocks = new Set(["space", "heading", "code", "list", "table", "paragraph"]);
const isBlock = (token: Token): token is Block => blocks.has(token.type);

/** The parts of a guide. The paragraph before a table, `Table: …`, is its caption. @throws Error for what a page cannot show. */
export const partsOf = (markdown: string): GuidePart[] => {
  let caption = "";
  return lexer(markdown).flatMap((token): GuidePart[] => {
    if (!isBlock(token))
      throw new Error(`Guides cannot show Markdown of the type "${token.type}": ${token.raw}`);
    switch (token.type) {
      case "space":
        return [];
      case "heading":
        return [{ heading: textOf(token) }];
      case "code":
        return [{ language: z.enum(guideLanguages).parse(token.lang), code: token.text }];
      case "list":
        return [listPart(token)];
      case "table":
        return [tablePart(caption, token)];
      default:
        caption = /^Table: (.+)/.exec(token.text)?.[1] ?? "";
        return caption ? [] : [{ text: textOf(token) }];
    }
  });
};

/** The lines between the first two lines `---` of a Markdown file, by their names, and what comes after them. */
export const readFrontMatter = (markdown: string) => {
  const [, head = "", body = ""] = markdown.split(/^---$/m);
  const lines = head.trim().split("\n");
  return { head: Object.fromEntries(lines.map((line) => line.split(/: (.*)/))), body };
};

/** All guides in their order, from the Markdown files in this folder. @throws Error for what a page cannot show. */
export const readGuides = (folder = import.meta.dirname): Guide[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith(".md"))
    .map((file) => {
      const { head, body } = readFrontMatter(readFileSync(join(folder, file), "utf8"));
      const { order, ...about } = frontMatter.parse(head);
      const markdown = body.replaceAll(/\{\{(\w+)\}\}/g, (whole, name) => facts[name]?.() ?? whole);
      return { order, guide: { name: file.replace(".md", ""), ...about, parts: partsOf(markdown) } };
    })
    .toSorted((one, other) => one.order - other.order)
    .map(({ guide }) => guide);
