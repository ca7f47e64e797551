import * as z from "zod";
import { definePage } from "../../../shared/pages/server/define-page.ts";

/** The documentation only changes with a deployment. */
const cacheSeconds = 300;

const file = {
  audience: "everybody",
  cacheSeconds,
  title: ({ navigation }: { readonly navigation: { readonly docs: string } }): string => navigation.docs,
} as const;

const common = { ...file, shell: "docs", scripts: ["docs"], styles: ["docs"] } as const;

export const documentationPage = definePage({ ...common, id: "documentation", path: "/docs" });

export const guidesPage = definePage({ ...common, id: "guides", path: "/docs/guides" });

/** A guide; with `.md` after its name, its Markdown. */
export const guidePage = definePage({ ...common, id: "guide", path: "/docs/guides/{name}" });

/** An operation; with `.md` after its name, its Markdown. */
export const operationPage = definePage({ ...common, id: "operation", path: "/docs/{operation}" });

const maxQueryLength = 200;

export const searchPage = definePage({
  ...common,
  id: "docsSearch",
  path: "/docs/search",
  query: z.object({
    q: z
      .string()
      .trim()
      .transform((text) => text.slice(0, maxQueryLength))
      .default(""),
  }),
});

/** The table of contents for language models: https://llmstxt.org. */
export const llmsPage = definePage({ ...file, id: "llms", path: "/llms.txt" });

/** All pages for language models. */
export const llmsFullPage = definePage({ ...file, id: "llmsFull", path: "/llms-full.txt" });
