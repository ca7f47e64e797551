import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { accountTypes } from "../../../../shared/accounts/access/account-access.ts";
import { accountPoliciesWith, defaultAddressLimits } from "../../../../shared/accounts/limits/policies.ts";
import { type MarkdownNode, rangeOf } from "../../../../shared/documents/formats/markdown.ts";
import { parseMarkdown } from "../../../../shared/documents/formats/parse-markdown.ts";
import { identifiableLanguages } from "../../../../shared/models/language-id/identification.ts";
import { detectableLanguages } from "../../../../shared/models/source-language/languages.ts";
import {
  fileTranslation,
  recordingUpload,
  transcriptionJob,
} from "../../../../shared/pages/samples/job-commands.ts";
import {
  findLanguage,
  languages,
  shortestCode,
  transcriptionLanguages,
  translationLanguages,
} from "../../../../shared/platform/catalogue/languages.ts";
import { defaultVoices, synthesisLanguages } from "../../../../shared/platform/catalogue/voices.ts";
import { errorCatalogue } from "../../../../shared/platform/errors/catalogue.ts";
import { onFirstUse } from "../../../../shared/platform/on-first-use.ts";
import { type Guide, type GuidePart, guideLanguages } from "./guide.ts";

const frontMatter = z.object({
  title: z.string(),
  summary: z.string(),
  order: z.coerce.number(),
  group: z.string(),
});

const number = onFirstUse(() => new Intl.NumberFormat("en"));
const limit = (value: number | undefined, unit = ""): string =>
  value === undefined ? "no limit" : `${number().format(value)}${unit}`;

const tableOf = (
  caption: string,
  columns: readonly string[],
  rows: readonly (readonly string[])[],
): string => {
  const lines = [columns, columns.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
  return [`Table: ${caption}`, "", ...lines].join("\n");
};

const policies = accountTypes.map((type) =>
  accountPoliciesWith(1)({ account_type: type, email_verified: true }),
);

const hours = (seconds: number | undefined): string =>
  limit(seconds === undefined ? undefined : seconds / 3_600, " hours");

const accountLimits = (): string =>
  tableOf(
    "Limits of each plan",
    ["Limit", ...accountTypes],
    [
      ["Requests per minute", ...policies.map(({ perMinute }) => limit(perMinute))],
      ["Model requests per day", ...policies.map(({ perDay }) => limit(perDay))],
      ["Model requests per month", ...policies.map(({ perMonth }) => limit(perMonth))],
      ["Open streams", ...policies.map(({ streamsAtOnce }) => limit(streamsAtOnce))],
      ["Audio in jobs per month", ...policies.map(({ audioSecondsPerMonth }) => hours(audioSecondsPerMonth))],
      ["Characters per month", ...policies.map(({ charactersPerMonth }) => limit(charactersPerMonth))],
    ],
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
  recordingUpload: () => recordingUpload,
  transcriptionJob: () => transcriptionJob,
  fileTranslation: () => fileTranslation,
  credentialsLimit: () => limit(defaultAddressLimits.credentials),
};

const shown = new Set(["text", "inlineCode", "link", "strong"]);

const cannotShow = (type: string, written: string): Error =>
  new Error(`Guides cannot show Markdown of the type "${type}": ${written}`);

/** What a list item holds, without the paragraph around its only text. */
const unwrapped = (nodes: readonly MarkdownNode[]): readonly MarkdownNode[] =>
  nodes.length === 1 && nodes[0]?.type === "paragraph" ? (nodes[0].children ?? []) : nodes;

/** The parts of a guide. The paragraph before a table, `Table: …`, is its caption. @throws Error for what a page cannot show. */
export const partsOf = (markdown: string): GuidePart[] => {
  const sourceOf = (first: MarkdownNode, last = first): string =>
    markdown.slice(rangeOf(first).start, rangeOf(last).end).replaceAll(/\n +/g, "\n");
  const textOf = (nodes: readonly MarkdownNode[]): string => {
    const [first] = nodes;
    const written = first ? sourceOf(first, nodes.at(-1)) : "";
    const other = nodes.find(({ type }) => !shown.has(type));
    if (other) throw cannotShow(other.type, written);
    return written;
  };

  let caption = "";
  return parseMarkdown(markdown).children.flatMap((block): GuidePart[] => {
    switch (block.type) {
      case "heading":
        return [{ heading: textOf(block.children) }];
      case "code":
        return [{ language: z.enum(guideLanguages).parse(block.lang), code: block.value }];
      case "list":
        return [{ list: block.children.map(({ children }) => textOf(unwrapped(children))) }];
      case "table": {
        const [columns = [], ...rows] = block.children.map(({ children }) =>
          children.map((cell) => textOf(cell.children)),
        );
        return [{ caption, columns, rows }];
      }
      case "paragraph": {
        const text = textOf(block.children);
        caption = /^Table: (.+)/.exec(text)?.[1] ?? "";
        return caption ? [] : [{ text }];
      }
      default:
        throw cannotShow(block.type, sourceOf(block));
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
