import { relative } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { buildBrowserAssets } from "../../infra/bundling/browser-assets.ts";
import { projectDirectory } from "../../infra/bundling/bundle-options.ts";

const { assets, inputs } = await buildBrowserAssets(projectDirectory);

describe("What browsers load", () => {
  it("is a script for each page that needs one, and the style sheet, under names that change with their content", () => {
    const names = assets.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["style", "page", "playground"]));
    expect(new Set(names).size).toBe(names.length);
    for (const { name, file } of assets) expect(file).toMatch(RegExp(`^${name}\\.[A-Z0-9]{8}\\.(js|css)$`));
  });

  it("needs no further file, so that a page loads with its first requests", () => {
    for (const { text, file } of assets) expect(text, file).not.toMatch(/^import\b|\bimport\(|@import|url\(/);
  });

  it("is small: the style sheet and every script have at most eight kilobytes, packed", () => {
    const sizes = assets.map(({ file, text }) => [file, gzipSync(text).byteLength] as const);
    expect(sizes.filter(([, bytes]) => bytes > 8_192)).toEqual([]);
  });

  it("holds nothing of the service's own code but what is meant for browsers", () => {
    expect(inputs.length).toBeGreaterThan(2);
    const isForBrowsers =
      /^(functions\/console\/(client\/|playground\/attempts\.ts$|recordings\/clock\.ts$|samples\/|view\/)|shared\/platform\/durations\.ts$)/;
    const paths = inputs.map((path) => relative(projectDirectory, path));
    expect(paths.filter((path) => !isForBrowsers.test(path))).toEqual([]);
  });
});
