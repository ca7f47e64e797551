import { type BoundPage, page } from "../../../shared/pages/server/page.ts";
import { shown } from "../../../shared/pages/server/responses.ts";
import { Languages } from "./languages.tsx";
import { languagesPage } from "./pages.ts";

/** The table of languages. */
export const languagesPages = (): BoundPage[] => [
  page(languagesPage, {
    show: ({ query: { task, q } }) => shown({ content: <Languages task={task} words={q} /> }),
  }),
];
