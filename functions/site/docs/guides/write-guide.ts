import type { Guide, GuidePart } from "./guide.ts";

const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

const written = (part: GuidePart): string => {
  if ("heading" in part) return `## ${part.heading}`;
  if ("text" in part) return part.text;
  if ("list" in part) return part.list.map((text) => `- ${text.replaceAll("\n", "\n  ")}`).join("\n");
  if ("code" in part) return `\`\`\`${part.language}\n${part.code}\n\`\`\``;
  const rows = [part.columns, part.columns.map(() => "---"), ...part.rows].map(row);
  return `${part.caption}:\n\n${rows.join("\n")}`;
};

/** A guide in Markdown, for programs. */
export const writeGuide = ({ title, summary, parts }: Guide): string =>
  `${[`# ${title}`, summary, ...parts.map(written)].join("\n\n")}\n`;
