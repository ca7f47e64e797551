import { createElement } from "preact";
import { renderToString } from "preact-render-to-string";
import { expect, it } from "vitest";
import { Home } from "../../../functions/console/entry/entry-views.tsx";
import { textsOf } from "../../../functions/console/texts/languages.ts";
import { FrameProvider, type PageFrame } from "../../../functions/console/view/frame.ts";

const frame: PageFrame = {
  title: "Home",
  texts: textsOf.en,
  language: "en",
  languages: ["en"],
  path: "/",
  url: (path) => `/prod${path}`,
  username: undefined,
  formToken: "proof",
  stylesheets: ["/prod/console/assets/style.css"],
  scripts: [],
  shell: "plain",
};

it.each([
  ["to the registration", false, "/prod/console/sign-up"],
  ["a person who is signed in to the console", true, "/prod/console"],
])("The first page leads %s, to the documentation and to the playground", (_whom, isSignedIn, first) => {
  const { texts, url } = frame;
  const content = createElement(Home, { texts, url, baseUrl: "https://api.example.com/prod", isSignedIn });
  const html = renderToString(createElement(FrameProvider, { value: frame, children: content }));
  const links = Array.from(html.matchAll(/<a href="([^"]*)"/g), ([, link]) => link);
  expect(links).toEqual([first, "/prod/docs", "/prod/console/playground"]);
});
