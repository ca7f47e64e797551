import { definePage } from "../../../../shared/pages/server/define-page.ts";

export const riddlePage = definePage({
  id: "riddle",
  path: "/console/riddle",
  audience: "everybody",
  title: ({ playground }) => playground.translate,
});
