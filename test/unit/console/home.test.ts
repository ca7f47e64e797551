import { createElement } from "preact";
import { describe, expect, it } from "vitest";
import { Home, type HomeProps } from "../../../functions/console/home/home.tsx";
import { attemptDefinitions } from "../../../functions/console/playground/attempts.ts";
import { Languages } from "../../../functions/site/languages/languages.tsx";
import { findLanguages, languageTasks } from "../../../shared/models/listed-languages.ts";
import { languages } from "../../../shared/platform/catalogue/languages.ts";
import { render, textOf } from "./rendered.ts";

const home = (changes: Partial<HomeProps> = {}): string =>
  render(
    createElement(Home, {
      values: attemptDefinitions.translate.values,
      addresses: { api: "https://api.example.com/prod", stream: "https://stream.example.com" },
      access: { kind: "visitor", attemptsPerDay: 3 },
      isSignedIn: false,
      perDay: { verified: 500, before: 50 },
      ...changes,
    }),
  );

const linksOf = (html: string): string[] =>
  Array.from(html.matchAll(/<a\b[^>]* href="([^"]*)"/g), ([, link = ""]) => link);

describe("The home page", () => {
  it.each([
    ["strangers to the registration", false, "/prod/console/sign-up"],
    ["people who are signed in to the console", true, "/prod/console"],
  ])("leads %s first, then to the documentation", (_whom, isSignedIn, first) => {
    expect(linksOf(home({ isSignedIn })).slice(0, 2)).toEqual([first, "/prod/docs"]);
  });

  it("says what an account has before and after its address is verified", () => {
    expect(textOf(home())).toContain(
      "Free: 500 requests a day once you have verified your email address, and 50 until then.",
    );
    expect(textOf(home({ perDay: { verified: undefined, before: undefined } }))).not.toContain("Free:");
  });

  it("offers no request where visitors may send none", () => {
    const closed = home({ access: { kind: "closed" } });
    expect(closed).toMatch(/<button[^>]* data-run[^>]* disabled/);
    expect(linksOf(closed)).toContain("/prod/console/log-in?next=%2F");
    expect(home()).not.toMatch(/<button[^>]* data-run[^>]* disabled/);
  });
});

describe("The table of languages", () => {
  const rowsOf = (html: string): number => (html.match(/<th scope="row">/g) ?? []).length;

  it("has every language of the catalogue, and those of a task alone", () => {
    expect(rowsOf(render(createElement(Languages, { task: undefined })))).toBe(languages.length);
    for (const task of languageTasks) {
      const count = findLanguages(task).length;
      expect(count).toBeGreaterThan(0);
      expect(rowsOf(render(createElement(Languages, { task })))).toBe(count);
    }
  });

  it("finds a language by its name, its code and its other names", () => {
    for (const words of ["lugand", "LUG", "lg"]) {
      expect(findLanguages(undefined, words).map(({ code }) => code)).toContain("lug");
    }
    const none = render(createElement(Languages, { task: "speak", words: "klingon" }));
    expect(rowsOf(none)).toBe(0);
    expect(linksOf(none)).toContain("/prod/console/languages");
  });

  it("leads to the playground with the language chosen", () => {
    const html = render(createElement(Languages, { task: "speak", words: "luganda" }));
    expect(linksOf(html)).toEqual(
      expect.arrayContaining([
        "/prod/console/playground?try=translate&amp;source=eng&amp;target=lug",
        "/prod/console/playground?try=transcribe&amp;language=lug",
        "/prod/console/playground?try=speak&amp;voice=salt_lug_0001",
      ]),
    );
  });
});
