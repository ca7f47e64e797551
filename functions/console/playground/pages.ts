import * as z from "zod";
import { definePage } from "../../../shared/pages/server/define-page.ts";
import { docsTokenPath, sessionPath } from "../../../shared/pages/server/links.ts";
import { attemptNames } from "./attempts.ts";
import { pageToken } from "./page-token.ts";

/** The API says what is wrong with a text, so a form only bounds it. */
const written = z.string().max(20_000).optional();

/** The input of every attempt, by the names of its fields. */
export const attemptInput = z.object({
  source: written,
  target: written,
  text: written,
  language: written,
  voice: written,
  /** Present when the button that swaps both languages was pressed. */
  swap: written,
  /** The conversation so far, as JSON. */
  earlier: written,
});

/** What links to the page may fill in; anything else is ignored. */
const linked = written.catch(undefined);

export const playgroundPage = definePage({
  id: "playground",
  path: "/console/playground",
  audience: "everybody",
  title: ({ navigation }) => navigation.playground,
  query: z.object({
    try: z.enum(attemptNames).default("translate").catch("translate"),
    source: linked,
    target: linked,
    text: linked,
    language: linked,
    voice: linked,
  }),
  form: attemptInput,
  scripts: ["playground"],
  styles: ["playground"],
  reaches: ["stream"],
  usesMicrophone: true,
});

/** Speech for pages whose script does not run, by links that the pages have signed. */
export const playgroundSpeechPage = definePage({
  id: "playgroundSpeech",
  path: "/console/playground/speech",
  audience: "everybody",
  title: ({ navigation }) => navigation.playground,
  query: z.object({ text: z.string(), voice: z.string(), signature: z.string() }),
  // Without a form, the cookie that links are signed for would not be read.
  form: z.object({}),
  limit: { shown: "anonymous" },
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

/** The same for the form on the page of an operation. GET redirects to the documentation. */
export const docsTokenPage = definePage({
  ...playgroundTokenPage,
  id: "docsToken",
  path: docsTokenPath,
  title: ({ navigation }) => navigation.docs,
});

/** Who is logged in, for pages that are the same for everyone. */
export const sessionPage = definePage({
  id: "session",
  path: sessionPath,
  audience: "everybody",
  title: ({ navigation }) => navigation.overview,
  data: z.object({ username: z.string().nullable(), form_token: z.string().nullable() }),
  confidential: true,
});
