import { definePage } from "../../../shared/pages/server/define-page.ts";

/** The evaluation only changes with a deployment, and its age by the day. */
export const qualityPage = definePage({
  id: "quality",
  path: "/quality",
  audience: "everybody",
  title: ({ quality }) => quality.title,
  cacheSeconds: 300,
});
