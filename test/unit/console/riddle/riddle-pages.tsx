import { type BoundPage, page } from "../../../../shared/pages/server/page.ts";
import { shown } from "../../../../shared/pages/server/responses.ts";
import { riddlePage } from "./pages.ts";
import { Riddle } from "./riddle.tsx";

/** The riddle of the day. */
export const riddlePages = (): BoundPage[] => [
  page(riddlePage, { show: () => shown({ content: <Riddle /> }) }),
];
