import { type Guide, withAddress } from "../../functions/site/docs/guides/guide.ts";

/** A section of a guide with a change of a request. */
export interface Change {
  readonly heading: string;
  /** What the guide and the section run first. */
  readonly setup: string;
  /** The request without the lines that are added. */
  readonly before: string;
  /** The request without the lines that are removed. */
  readonly after: string;
  /** The rows of its tables. */
  readonly tables: readonly (readonly (readonly string[])[])[];
}

const sideOf = (diff: string, sign: "+" | "-"): string =>
  diff
    .split("\n")
    .filter((line) => line.startsWith(" ") || line.startsWith(sign))
    .map((line) => line.slice(1))
    .join("\n");

/** The changes in a guide. */
export const changesIn = (guide: Guide | undefined, baseUrl: string): Change[] => {
  const parts = guide?.parts ?? [];
  const sectionOf = (from: number) => {
    const end = parts.findIndex((part, index) => index > from && "heading" in part);
    return parts.slice(from + 1, end === -1 ? undefined : end);
  };
  const codeIn = (section: typeof parts, language: string): string =>
    section
      .flatMap((part) =>
        "code" in part && part.language === language ? [withAddress(part.code, baseUrl)] : [],
      )
      .join("\n");
  return parts.flatMap((part, index): Change[] => {
    if (!("heading" in part)) return [];
    const section = sectionOf(index);
    const diff = codeIn(section, "diff");
    return [
      {
        heading: part.heading,
        setup: [codeIn(sectionOf(-1), "sh"), codeIn(section, "sh")].join("\n"),
        before: sideOf(diff, "-"),
        after: sideOf(diff, "+"),
        tables: section.flatMap((each) => ("rows" in each ? [each.rows] : [])),
      },
    ];
  });
};
