import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { legacyFunction } from "../../../functions/legacy/definition.ts";
import { speakers } from "../../../functions/legacy/fixed-speakers.ts";
import { guides } from "../../../functions/site/docs/guides/built-guides.ts";
import { codeOf } from "../../../functions/site/docs/guides/guide.ts";
import { readGuides } from "../../../functions/site/docs/guides/read-guides.ts";
import { accountTypes } from "../../../shared/accounts/access/account-access.ts";
import { languages } from "../../../shared/platform/catalogue/languages.ts";
import { changesIn } from "../../support/changes-in-guide.ts";

const folder = mkdtempSync(join(tmpdir(), "guides-"));
afterAll(() => rmSync(folder, { recursive: true }));

const read = (body: string) => {
  writeFileSync(
    join(folder, "one.md"),
    `---\ntitle: One: the first\nsummary: What it says.\ngroup: Guides\norder: 1\n---\n\n${body}`,
  );
  return readGuides(folder)[0];
};

describe("A guide in Markdown", () => {
  it("becomes the parts of a page", () => {
    const body = [
      "## A heading",
      "Some `code` and\n[a link](/docs).",
      "- one\n- two\n  lines",
      "Table: What there is\n\n| a | b |\n| - | - |\n| `x` | 1 |",
      "```sh\nAPI={{baseUrl}}\n```",
    ].join("\n\n");
    expect(read(body)).toEqual({
      name: "one",
      title: "One: the first",
      summary: "What it says.",
      group: "Guides",
      parts: [
        { heading: "A heading" },
        { text: "Some `code` and\n[a link](/docs)." },
        { list: ["one", "two\nlines"] },
        { caption: "What there is", columns: ["a", "b"], rows: [["`x`", "1"]] },
        { language: "sh", code: "API={{baseUrl}}" },
      ],
    });
    expect(codeOf(read(body), "sh", "https://api.example.com")).toEqual(["API=https://api.example.com"]);
  });

  it.each([
    "> quoted",
    "Some *leaning* text",
    "- a list\n\n  ```sh\n  with code\n  ```",
    "```ruby\nputs 1\n```",
  ])("is refused when the page cannot show it: %j", (body) => expect(() => read(body)).toThrow());

  it("quotes limits and error codes from the code, and leaves no other placeholder", () => {
    expect(JSON.stringify(guides).replaceAll("{{baseUrl}}", "")).not.toContain("{{");
    const tables = guides
      .filter(({ name }) => name !== "from-v1")
      .flatMap(({ parts }) => parts.flatMap((part) => ("rows" in part ? [part.rows.length] : [])));
    expect(tables).toEqual([4, 6, 6, 6, expect.any(Number), languages.length, 14, 4]);
    expect(tables[4]).toBeGreaterThan(30);
    const [limits, codes] = ["Limit", "Code"].map((first) =>
      guides.flatMap(({ parts }) => parts).find((part) => "columns" in part && part.columns[0] === first),
    );
    expect(limits).toMatchObject({ caption: "Limits of each plan", columns: ["Limit", ...accountTypes] });
    expect(codes).toMatchObject({ caption: "Error codes", columns: ["Code", "Status", "Meaning"] });
  });
});

describe("The guide from version 1", () => {
  const guide = guides.find(({ name }) => name === "from-v1");
  const changes = changesIn(guide, "https://api.example.com");

  it("is what the deprecated operations link to", () => {
    const linked = new Set(legacyFunction.operations.map(({ deprecated }) => deprecated?.guide));
    expect([...linked]).toEqual([`/docs/guides/${guide?.name}`]);
  });

  it("has a section for each deprecated operation, and no other", () => {
    expect(changes.map(({ heading }) => heading)).toEqual(
      expect.arrayContaining(legacyFunction.operations.map(({ method, path }) => `${method} ${path}`)),
    );
    expect(changes).toHaveLength(legacyFunction.operations.length);
  });

  it.each(legacyFunction.operations)("replaces $method $path by its successor", (operation) => {
    const { method, path, deprecated } = operation;
    const change = changes.find(({ heading }) => heading === `${method} ${path}`);
    const [start = ""] = path.split("{");
    expect(change?.before).toContain(`$API${start}`);
    expect(change?.after).toMatch(new RegExp(`\\$API${deprecated?.successor}(?![/\\w])`));
    expect(change?.after).not.toContain(`$API${start}`);
  });

  it("names the language of each speaker that has a voice", () => {
    const [table] = changes.find(({ heading }) => heading === "POST /tasks/tts")?.tables ?? [];
    expect(table).toEqual(
      speakers.map(({ id, language, languageCode }) => [
        `${id}, ${language}`,
        languageCode === "lgg" ? "has no voice" : `\`${languageCode}\``,
      ]),
    );
  });
});
