import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { projectDirectory } from "../../../infra/bundling/bundle-options.ts";
import { sharesOf } from "../../bench/compare/read-profile.ts";

const file = join(projectDirectory, ".build/functions/chat/index.mjs");
// Two positions in the bundle's first line: column 0 is line 1 of the first source, column 10 is line 1 of the
// second.
const map = {
  version: 3,
  file: "",
  sources: ["../../../shared/http/router.ts", "../../../node_modules/@middy/core/index.js"],
  names: [],
  sourcesContent: [],
  sourceRoot: "",
  mappings: "AAAA,UCAA",
};

const frame = (functionName: string, url: string, columnNumber = 0) => ({
  functionName,
  url,
  lineNumber: 0,
  columnNumber,
});
const bundled = pathToFileURL(file).href;
/** The router calls middy, which calls the router again, which calls Node. */
const profile = {
  nodes: [
    { id: 1, callFrame: frame("(root)", ""), children: [2, 6] },
    { id: 2, callFrame: frame("a", bundled), children: [3] },
    { id: 3, callFrame: frame("b", bundled, 12), children: [4] },
    { id: 4, callFrame: frame("c", bundled, 2), children: [5] },
    { id: 5, callFrame: frame("write", "node:net") },
    { id: 6, callFrame: frame("(idle)", "") },
  ],
  samples: [2, 3, 4, 5, 6],
  timeDeltas: [10, 20, 30, 40, 900],
};

it("time is assigned to source files and packages, idling separately, and recursion counts once", () => {
  expect(sharesOf(profile, { file, map }, false)).toEqual([
    { origin: "shared/http/router.ts", self: 0.4, inclusive: 1 },
    { origin: "node:net", self: 0.4, inclusive: 0.4 },
    { origin: "@middy/core", self: 0.2, inclusive: 0.9 },
  ]);
});

it("functions of one file are distinct", () => {
  expect(sharesOf(profile, { file, map }, true).map(({ origin, self }) => [origin, self])).toEqual([
    ["node:net write", 0.4],
    ["shared/http/router.ts c", 0.3],
    ["@middy/core b", 0.2],
    ["shared/http/router.ts a", 0.1],
  ]);
});
