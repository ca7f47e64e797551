import { readFile } from "node:fs/promises";
import type { Plugin } from "esbuild";
import { type Argument, type CallExpression, parseSync, Visitor } from "oxc-parser";

/** A module with schemas. */
const isDocumented = /from "zod";[\s\S]*\.(?:meta|describe)\(/;

/** A text, or a name of one. */
const isText = (node: Argument | undefined): boolean =>
  node?.type === "TemplateLiteral" ||
  node?.type === "Identifier" ||
  node?.type === "MemberExpression" ||
  (node?.type === "Literal" && typeof node.value === "string");

/** Whether a call in a module with schemas only documents one: no `describe` of something else has one argument there. */
const isDocumentation = ({ callee, arguments: [given, ...others] }: CallExpression): boolean => {
  if (callee.type !== "MemberExpression" || callee.property.type !== "Identifier" || others.length > 0)
    return false;
  const { name } = callee.property;
  return name === "meta" ? given?.type === "ObjectExpression" : name === "describe" && isText(given);
};

/** Removes `.meta({…})` and `.describe("…")` from a module; what remains keeps its lines and columns. */
export const removeDocumentation = (path: string, source: string): string => {
  let text = source;
  const visitor = new Visitor({
    CallExpression: (call) => {
      if (!isDocumentation(call) || call.callee.type !== "MemberExpression") return;
      const [start, end] = [call.callee.object.end, call.end];
      text = text.slice(0, start) + text.slice(start, end).replaceAll(/[^\n]/g, " ") + text.slice(end);
    },
  });
  visitor.visit(parseSync(path, source).program);
  return text;
};

/**
 * Leaves out of the functions what documents their schemas. Only `npm run openapi` reads it, and each call would copy its schema
 * during a cold start.
 */
export const withoutDocumentation: Plugin = {
  name: "without-documentation",
  setup(build) {
    build.onLoad({ filter: /\/(?:functions|shared)\/.*\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, "utf8");
      if (!isDocumented.test(source)) return undefined;
      return { contents: removeDocumentation(path, source), loader: "ts", watchFiles: [path] };
    });
  },
};
