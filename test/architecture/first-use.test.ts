import { globSync, readFileSync } from "node:fs";
import { type ArrowFunctionExpression, type Function as FunctionNode, parseSync, Visitor } from "oxc-parser";
import { expect, it } from "vitest";

const localMethods = ["toLocaleString", "localeCompare"];

/** The uses of `Intl` before any function of a module is called from elsewhere. */
const usesAtStart = (path: string, source: string): string[] => {
  const uses: string[] = [];
  const runsAtStart = new Set<number>();
  let depth = 0;
  const enter = ({ start }: ArrowFunctionExpression | FunctionNode) => {
    if (!runsAtStart.has(start)) depth += 1;
  };
  const leave = ({ start }: ArrowFunctionExpression | FunctionNode) => {
    if (!runsAtStart.has(start)) depth -= 1;
  };
  const visitor = new Visitor({
    FunctionDeclaration: enter,
    "FunctionDeclaration:exit": leave,
    FunctionExpression: enter,
    "FunctionExpression:exit": leave,
    ArrowFunctionExpression: enter,
    "ArrowFunctionExpression:exit": leave,
    NewExpression: ({ start, callee }) => {
      const isIntl = callee.type === "MemberExpression" && source.startsWith("Intl.", callee.start);
      if (depth === 0 && isIntl) uses.push(`${path}: ${source.slice(start, callee.end)}`);
    },
    CallExpression: ({ callee, arguments: given }) => {
      if (depth > 0) return;
      const name = source.slice(callee.start, callee.end);
      const method = name.split(".").at(-1) ?? "";
      if (localMethods.includes(method)) uses.push(`${path}: ${name}`);
      if (name !== "onFirstUse") for (const { start } of given) runsAtStart.add(start);
    },
  });
  visitor.visit(parseSync(path, source).program);
  return uses;
};

it("No function uses Intl while it starts: that alone costs half of an empty start", () => {
  const sources = globSync("{functions,shared}/**/*.{ts,tsx}", { exclude: ["**/client/**"] });
  expect(sources.length).toBeGreaterThan(500);
  expect(sources.flatMap((path) => usesAtStart(path, readFileSync(path, "utf8")))).toEqual([]);
});
