import { createElement } from "preact";
import { describe, expect, it } from "vitest";
import { AccountSettings } from "../../../functions/console/account/account.tsx";
import { Overview } from "../../../functions/console/account/overview.tsx";
import { TokensAndKeys } from "../../../functions/console/account/tokens.tsx";
import { UsageOfDays } from "../../../functions/console/account/usage.tsx";
import { RecordingView } from "../../../functions/console/recordings/recording.tsx";
import { job, key, settings, usage, used } from "./owned.ts";
import { render, textOf, visit } from "./rendered.ts";

/** The links of a page, each with its words. */
const linksIn = (html: string): string[][] =>
  Array.from(html.matchAll(/<a\b[^>]* href="([^"]*)"[^>]*>(.*?)<\/a>/gs), ([, link = "", content = ""]) => [
    link,
    textOf(content),
  ]);

const accepted = {
  ...visit.account,
  accepted_terms: { version: "2026-11-24", at: "2026-11-24T10:00:00.000Z" },
};

describe("The overview", () => {
  it("says where each of its links leads", () => {
    const links = linksIn(
      render(
        createElement(Overview, {
          ...visit,
          account: accepted,
          usage,
          termsVersion: "2026-11-24",
          keyCount: 0,
        }),
      ),
    );
    expect(links.map(([link]) => link)).toEqual([
      "/prod/console/account",
      "/prod/console/tokens",
      "/prod/docs/guides/first-call",
      "/prod/console/playground",
      "/prod/console/usage",
    ]);
    for (const [, words] of links) expect(words).toMatch(/\w+ \w+/);
  });
});

describe("The page of usage", () => {
  it("adds up the days of each path, the most used first", () => {
    const few = { ...used, path: "/tasks/chat", requests: 3 };
    const day = { total: 0, by_operation: {} };
    const days = [
      { ...day, date: "2026-11-19", operations: [used, few] },
      { ...day, date: "2026-11-20", operations: [used] },
    ];
    const keyNames = new Map([["k1", "kiosk"]]);
    const lists = { keyNames, requests: [], taskPaths: {} };
    const view = { ...visit, query: {}, ...lists, usage: { ...usage, days }, requested: {} };
    const html = render(createElement(UsageOfDays, view));
    const rows = Array.from(html.matchAll(/<tr><th scope="row">(.*?)<\/tr>/gs), ([, row = ""]) =>
      textOf(row.replaceAll("<td", " <td")),
    );
    expect(rows).toEqual(
      expect.arrayContaining(["/tasks/translate 4 2 6 8 10", "/tasks/chat 3 1 3 4 5", "kiosk 7 3 9 12 15"]),
    );
    expect(linksIn(html)).toContainEqual([
      "/prod/console/usage?from=2026-11-19&amp;to=2026-11-20&amp;format=csv",
      visit.texts.usage.csv,
    ]);
  });
});

describe("The page of keys", () => {
  it("says at the key itself why it was not revoked", () => {
    const refused = { values: { action: "revoke-key", key: "k2" }, problems: { form: "Wait.", fields: {} } };
    const keys = [key, { ...key, id: "k2", name: "clinic" }];
    const html = render(createElement(TokensAndKeys, { ...visit, ...refused, keys }));
    const cards = html.match(/<tr><th scope="row">.*?<\/tr>/gs) ?? [];
    expect(cards.map((card) => [card.includes("<details open"), card.includes("Wait.")])).toEqual([
      [false, false],
      [true, true],
    ]);
  });
});

describe("The logins of an account", () => {
  it("say at the login itself why it was not removed", () => {
    const joined = ["a", "b"].map((letter) => ({
      id: letter,
      issuer: `https://${letter}.example`,
      subject: "s",
      email: undefined,
      joinedAt: "2026-01-01T00:00:00.000Z",
    }));
    const refused = { values: { action: "unlink", identity: "b" }, problems: { form: "Wait.", fields: {} } };
    const shown = { ...visit, ...settings, ...refused, identities: joined };
    const html = render(createElement(AccountSettings, shown));
    const cards = html.match(/<div class="provider"><h3>https.*?<\/form>/gs) ?? [];
    expect(cards.map((card) => card.includes("Wait."))).toEqual([false, true]);
  });
});

describe("A long transcript", () => {
  const empty = { index: 1, count: 3, segments: [], language: undefined, characters: 0, speakers: [] };
  const part = { ...empty, words: [], certainty: {} };

  it("says which of its parts is shown", () => {
    const html = render(
      createElement(RecordingView, { ...visit, query: { part: 2 }, job, part, link: undefined }),
    );
    expect(html.match(/\?part=\d" aria-current="page"/g)).toHaveLength(1);
    expect(html).toContain('?part=2" aria-current="page">30:00–1:00:00</a>');
  });

  it("underlines what is unsure, as buttons that know when it was said, and offers keywords", () => {
    const said = { translation: undefined, start: 0, end: 2, text: "Sekitoreko azze." };
    const words = [
      { start: 0, end: 1, text: "Sekitoreko", confidence: 0.42 },
      { start: 1, end: 2, text: "azze.", confidence: 0.97 },
    ];
    const segments = [
      { ...said, confidence: 0.7, alternatives: ["Sekitoleko azze."] },
      { ...said, start: 3, end: 4, text: "Wa?", confidence: 0.3 },
      { ...said, start: 5, end: 6, text: "Leero." },
    ];
    const certainty = { confidence: 0.68, reasons: ["silence" as const] };
    const shown = { ...part, segments, words, certainty };
    const html = render(
      createElement(RecordingView, { ...visit, query: { part: 2 }, job, part: shown, link: undefined }),
    );
    expect(html.match(/<button type="button" class="unsure".*?<\/button>/g)).toEqual([
      '<button type="button" class="unsure" data-start="0" data-end="1" title="42% sure">Sekitoreko</button>',
      '<button type="button" class="unsure" data-start="3" data-end="4" title="30% sure">Wa?</button>',
    ]);
    expect(textOf(html)).toContain("Sekitoreko azze. Perhaps: Sekitoleko azze.");
    expect(textOf(html)).toContain("About 68% of the words are probably right. Some parts may be silence.");
  });
});
