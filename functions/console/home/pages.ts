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
