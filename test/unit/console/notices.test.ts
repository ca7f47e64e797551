import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createElement } from "preact";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { noticesOf } from "../../../functions/site/notices/notice.ts";
import { readNotices } from "../../../functions/site/notices/read-notices.ts";
import { Prose } from "../../../shared/pages/view/prose.tsx";
import { render } from "./rendered.ts";

const own = (version: string, body = "The clinic stores what it must."): string =>
  `---\ntitle: Privacy at the clinic\nversion: ${version}\n---\n\n${body}\n`;

describe("The notices of a stage", () => {
  let stages: string;
  beforeEach(async () => {
    stages = await mkdtemp(join(tmpdir(), "stages-"));
    await mkdir(join(stages, "prod"));
    await writeFile(join(stages, "prod.json"), "{}");
  });
  afterEach(() => rm(stages, { recursive: true }));
  const write = (text: string) => writeFile(join(stages, "prod/privacy.md"), text);

  it("are its own files, and the templates where it has none", async () => {
    await write(own("2027-01-15"));
    const all = readNotices(stages);
    expect(noticesOf("prod", all).privacy).toEqual({
      title: "Privacy at the clinic",
      version: "2027-01-15",
      parts: [{ text: "The clinic stores what it must." }],
    });
    expect(noticesOf("prod", all).terms).toBe(all.templates.terms);
    expect(noticesOf("dev", all)).toEqual(all.templates);
  });

  it.each([
    ["has no version", "---\ntitle: Privacy\n---\n\nText.", "version"],
    ["has a version that is no word", own("1 of May"), "version"],
    ["has nothing at its start", "# Privacy", "title"],
    ["has what a page cannot show", own("1", "![a picture](a.png)"), "image"],
  ])("are refused with the name of the file when one %s", async (_case, text, problem) => {
    await write(text);
    expect(() => readNotices(stages)).toThrow(join(stages, "prod/privacy.md"));
    expect(() => readNotices(stages)).toThrow(problem);
  });
});

describe("A text in Markdown", () => {
  it("has code, links and strong words, and may open links in another tab", () => {
    const text = "Run `npm start`, **now**, and see [the docs](/docs).";
    const html = render(createElement(Prose, { text }));
    expect(html).toContain("Run <code>npm start</code>, <strong>now</strong>, and see");
    expect(html).toMatch(/<a href="[^"]*\/docs">the docs<\/a>/);
    expect(render(createElement(Prose, { text, opensTab: true }))).toContain('target="_blank"');
  });
});
