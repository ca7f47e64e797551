import { guidePath, operationPath } from "./contents.ts";
import type { Guide } from "./guides/guide.ts";
import { writeGuide } from "./guides/write-guide.ts";
import type { ReferenceSection } from "./reference.ts";
import { writeOperation } from "./write-operation.ts";

interface About {
  readonly title: string;
  readonly description: string;
}

const headOf = ({ title, description }: About): string[] => [`# ${title}`, `> ${description}`];

/**
 * The table of contents for language models, in the format of llmstxt.org. Its links lead to Markdown.
 *
 * @param baseUrl the public address, without a slash at the end.
 */
export const writeLlms = (
  about: About,
  sections: readonly ReferenceSection[],
  guides: readonly Guide[],
  baseUrl: string,
): string => {
  const link = (words: string, path: string, note: string) => `- [${words}](${baseUrl}${path}): ${note}`;
  return `${[
    ...headOf(about),
    `## Guides\n\n${guides.map(({ name, title, summary }) => link(title, `${guidePath(name)}.md`, summary)).join("\n")}`,
    ...sections.map(
      ({ name, operations }) =>
        `## ${name}\n\n${operations
          .map(({ id, method, path, summary }) =>
            link(`${method} ${path}`, `${operationPath(id)}.md`, summary),
          )
          .join("\n")}`,
    ),
    [
      "## Optional",
      "",
      link("All pages", "/llms-full.txt", "Every guide and every operation in one file"),
      link("OpenAPI document", "/openapi.json", "All fields of all operations, as JSON"),
    ].join("\n"),
  ].join("\n\n")}\n`;
};

/** Replaces the paths of links by whole addresses, which programs can follow. */
export const withWholeLinks = (markdown: string, baseUrl: string): string =>
  markdown.replaceAll("](/", `](${baseUrl}/`);

/**
 * All pages in one text, for language models. Deprecated operations are left out: programs must not start with them.
 *
 * @param guides with the address of the service.
 */
export const writeLlmsFull = (
  about: About,
  sections: readonly ReferenceSection[],
  guides: readonly Guide[],
  baseUrl: string,
): string =>
  withWholeLinks(
    [
      `${headOf(about).join("\n\n")}\n`,
      ...guides.map(writeGuide),
      ...sections.flatMap(({ operations }) =>
        operations.filter(({ isDeprecated }) => !isDeprecated).map(writeOperation),
      ),
    ].join("\n"),
    baseUrl,
  );
