import * as z from "zod";
import { definePage } from "../../../shared/pages/server/define-page.ts";
import { attemptInput } from "../playground/pages.ts";

export const consoleHomePage = definePage({
  id: "home",
  path: "/",
  audience: "everybody",
  title: ({ home }) => home.title,
  form: attemptInput,
  data: z.object({
    service: z.string(),
    version: z.string(),
    description: z.string(),
    openapi: z.url(),
    documentation: z.url(),
    console: z.url(),
  }),
  shell: "home",
  scripts: ["playground"],
  styles: ["playground", "home"],
});

/** What a language can be used for, in the order of the table. */
export const languageTasks = ["translate", "identify", "transcribe", "speak"] as const;
export type LanguageUse = (typeof languageTasks)[number];

export const languagesPage = definePage({
  id: "languages",
  path: "/console/languages",
  audience: "everybody",
  title: ({ languages }) => languages.title,
  query: z.object({
    task: z.enum(languageTasks).optional().catch(undefined),
    q: z.string().trim().max(100).optional().catch(undefined),
  }),
  cacheSeconds: 300,
  styles: ["home"],
});
