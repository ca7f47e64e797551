import * as z from "zod";
import { languageTasks } from "../../../shared/models/listed-languages.ts";
import { definePage } from "../../../shared/pages/server/define-page.ts";

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
