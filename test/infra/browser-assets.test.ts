import { relative } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { buildBrowserAssets } from "../../infra/bundling/browser-assets.ts";
import { projectDirectory } from "../../infra/bundling/bundle-options.ts";

const { assets, inputs } = await buildBrowserAssets(projectDirectory);

describe("What browsers load", () => {
  it("is a script for each page that needs one, and the style sheet, under names that change with their content", () => {
    const names = assets.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["style.css", "docs.css", "page.js", "docs.js"]));
    expect(new Set(names).size).toBe(names.length);
    for (const { name, file } of assets) {
      const [source = "", ending = ""] = name.split(".");
      expect(file).toMatch(RegExp(`^${source}\\.[A-Z0-9]{8}\\.${ending}$`));
    }
  });

  it("needs no further script or style sheet, so that a page loads with its first requests", () => {
    for (const { text, file } of assets) expect(text, file).not.toMatch(/^import\b|\bimport\(|@import/);
  });

  it("shows only pictures of its own", () => {
    const names = assets.map(({ file }) => file);
    const shown = assets.flatMap(({ text }) =>
      Array.from(text.matchAll(/url\(([^)]*)\)/g), ([, url]) => url),
    );
    expect(shown.length).toBeGreaterThan(0);
    for (const url of shown) expect(names).toContain(url?.replaceAll(/^"\.\/|"$/g, ""));
  });

  it("is small: a script has at most eight kilobytes, packed, and the style sheet at most twelve", () => {
    const sizes = assets.map(({ file, text }) => [file, gzipSync(text).byteLength] as const);
    const isLarge = ([file, bytes]: readonly [string, number]) =>
      bytes > (file.endsWith(".css") ? 12_000 : 8_192);
    expect(sizes.filter(isLarge)).toEqual([]);
  });

  it("holds nothing of the service's own code but what is meant for browsers", () => {
    expect(inputs.length).toBeGreaterThan(2);
    const isForBrowsers =
      /^(functions\/(console|site)\/client\/|functions\/console\/(playground\/attempts|recordings\/clock)\.ts$|shared\/pages\/(client|samples|view)\/|shared\/platform\/durations\.ts$)/;
    const paths = inputs.map((path) => relative(projectDirectory, path));
    expect(paths.filter((path) => !isForBrowsers.test(path))).toEqual([]);
  });
});
