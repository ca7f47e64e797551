import { join } from "node:path";
import { parseSync, Visitor } from "oxc-parser";
import { describe, expect, it } from "vitest";
import { isProduction, readRepository } from "../house/sources.ts";

/** They take any number of arguments; a call of more than about a hundred thousand ends with a RangeError. */
const takesMany = new Set(
  "push unshift splice concat max min hypot of fromCharCode fromCodePoint".split(" "),
);

/** Returns the lines on which a list is spread into such a call. */
const spreadsIn = (file: string, source: string): number[] => {
  const lines: number[] = [];
  new Visitor({
    CallExpression: ({ callee, arguments: given }) => {
      const name = callee.type === "MemberExpression" && "name" in callee.property && callee.property.name;
      const spread = given.find(({ type }) => type === "SpreadElement");
      if (spread && typeof name === "string" && takesMany.has(name)) {
        lines.push(source.slice(0, spread.start).split("\n").length);
      }
    },
  }).visit(parseSync(file, source).program);
  return lines;
};

describe("A list of any length", () => {
  it.each(["list.push(...others);", "Math.max(0, ...sizes)", "String.fromCharCode(...codes)"])(
    "is found where it is spread into a call: %s",
    (source) => {
      expect(spreadsIn("example.ts", source)).toEqual([1]);
    },
  );

  it("is spread into no call of the code", () => {
    const files = readRepository(join(import.meta.dirname, "../..")).modules.filter(({ path }) =>
      isProduction(path),
    );
    expect(files.length).toBeGreaterThan(500);
    const found = files.flatMap(({ path, text }) => spreadsIn(path, text).map((line) => `${path}:${line}`));
    expect(found).toEqual([]);
  });
});
