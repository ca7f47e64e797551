import type { Guide } from "./guides/guide.ts";
import { guidePath } from "./guides/guide-page.tsx";
import type { ReferenceSection } from "./reference.ts";
import { operationPath } from "./reference-pages.tsx";

/**
 * The table of contents for language models, in the format of llmstxt.org.
 *
 * @param baseUrl the public address, without a slash at the end.
 */
export const writeLlms = (
  about: { readonly title: string; readonly description: string },
  sections: readonly ReferenceSection[],
  guides: readonly Guide[],
  baseUrl: string,
): string => {
  const link = (words: string, path: string, note: string) => `- [${words}](${baseUrl}${path}): ${note}`;
  return `${[
    `# ${about.title}`,
    `> ${about.description}`,
    `## Guides\n\n${guides.map(({ name, title, summary }) => link(title, guidePath(name), summary)).join("\n")}`,
    ...sections.map(
      ({ name, operations }) =>
        `## ${name}\n\n${operations
          .map(({ id, method, path, summary }) => link(`${method} ${path}`, operationPath(id), summary))
          .join("\n")}`,
    ),
    `## Optional\n\n${link("OpenAPI document", "/openapi.json", "All fields of all operations, as JSON")}`,
  ].join("\n\n")}\n`;
};
