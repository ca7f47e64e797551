import * as z from "zod";
import { definePage } from "../server/define-page.ts";
import { pageToken } from "../server/page-token.ts";
import { attemptNames } from "./attempts.ts";

/** Input of the form without JavaScript. It is only shown. */
const written = z.string().max(5_000).optional().catch(undefined);

export const playgroundPage = definePage({
  id: "playground",
  path: "/console/playground",
  audience: "everybody",
  title: ({ navigation }) => navigation.playground,
  query: z.object({
    try: z.enum(attemptNames).default("translate").catch("translate"),
    source: written,
    target: written,
    text: written,
    language: written,
    audio: written,
  }),
  scripts: ["playground"],
  styles: ["playground"],
  reaches: ["stream"],
  usesMicrophone: true,
});

/** The address for the page's token. GET redirects to the page. */
export const playgroundTokenPage = definePage({
  id: "playgroundToken",
  path: "/console/playground/token",
  audience: "signed-in",
  title: ({ navigation }) => navigation.playground,
  form: z.object({}),
  data: pageToken,
  confidential: true,
});
