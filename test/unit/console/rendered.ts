import { type ComponentChildren, createElement } from "preact";
import { renderToString } from "preact-render-to-string";
import { noProblems } from "../../../shared/pages/server/problems.ts";
import type { Visit } from "../../../shared/pages/server/visit.ts";
import { textsOf } from "../../../shared/pages/texts/languages.ts";
import { FrameProvider, type PageFrame } from "../../../shared/pages/view/frame.ts";

/** A page of Amina, who is signed in, below a stage's prefix. */
export const visit: Visit<Record<never, never>, "signed-in"> = {
  texts: textsOf.en,
  language: "en",
  query: {},
  path: {},
  values: {},
  lists: {},
  problems: noProblems,
  formToken: "proof",
  sign: (link: string) => `signature of ${link.length}`,
  wantsHtml: true,
  baseUrl: "https://api.example.com/prod",
  here: "/console",
  url: (path) => `/prod${path}`,
  request: {
    id: "request",
    headers: {},
    sourceAddress: "203.0.113.7",
    basePath: "",
    signal: new AbortController().signal,
  },
  beginSession: async () => "",
  endSession: async () => "",
  session: {
    userId: 7,
    tokenEpoch: 0,
    id: "session",
    createdAt: 0,
    seenAt: 0,
    userAgent: undefined,
    formsUsed: 0,
    start: { with: "password", showedFactor: false },
  },
  account: {
    id: 7,
    username: "amina",
    email: "amina@example.com",
    organization: "Unknown",
    oauth_type: "Credentials",
    has_password: true,
    has_second_factor: false,
    created_at: "2026-11-20T10:00:00.000Z",
    account_type: "Free",
    disabled: false,
    token_epoch: 0,
    email_verified: false,
  },
};

/** What surrounds the parts of such a page. */
export const frame: PageFrame = {
  title: "Page",
  texts: visit.texts,
  language: visit.language,
  languages: ["en"],
  path: "/console",
  url: visit.url,
  username: visit.account.username,
  formToken: visit.formToken,
  stylesheets: ["/prod/console/assets/style.css"],
  scripts: [],
  shell: "plain",
};

/** The HTML of the parts of a page. */
export const render = (children: ComponentChildren): string =>
  renderToString(createElement(FrameProvider, { value: frame, children }));

/** The text of HTML, as it is read aloud. */
export const textOf = (html: string): string => html.replaceAll(/<[^>]*>/g, "");
