import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Plugin } from "esbuild";
import { type Expression, type ObjectExpression, parseSync } from "oxc-parser";

/** What an expression begins with: `z` in `z.object({}).meta({})`. */
const rootOf = (expression: Expression): string | undefined => {
  if (expression.type === "Identifier") return expression.name;
  if (expression.type === "CallExpression") return rootOf(expression.callee);
  if (expression.type === "MemberExpression") return rootOf(expression.object);
  if (expression.type === "TSSatisfiesExpression") return rootOf(expression.expression);
  return undefined;
};

/** An expression of a module, and what is written around it. */
interface Location {
  readonly start: number;
  readonly end: number;
  readonly before: string;
  readonly after: string;
}

/** Made when the module is loaded, unless nothing uses it: what is marked as pure, a bundler may leave out. */
const ifUsed = { before: "/* @__PURE__ */ (() => (", after: "))()" };

/** Made when something is first asked of it. */
const whenUsed = { before: "/* @__PURE__ */ whenUsed(() => (", after: "))" };

/** The members of an operation's declaration that are schemas. */
const schemaMembers: ReadonlySet<string> = new Set(["schema", "query", "pathParameters"]);

/** The schemas that an operation's declaration makes in its own words. */
const schemasOf = ({ properties }: ObjectExpression): Location[] =>
  properties.flatMap((property) => {
    if (property.type !== "Property" || property.key.type !== "Identifier") return [];
    const { key, value } = property;
    if (value.type === "ObjectExpression") return schemasOf(value);
    const isCreated = schemaMembers.has(key.name) && value.type === "CallExpression";
    return isCreated ? [{ ...whenUsed, start: value.start, end: value.end }] : [];
  });

/** The constants of a module that are schemas, operations or functions. */
const locationsIn = (path: string, source: string, isPostponed: boolean): Location[] => {
  const schemas = new Set(["z"]);
  return parseSync(path, source).program.body.flatMap((statement) => {
    const declaration = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
    if (declaration?.type !== "VariableDeclaration" || declaration.kind !== "const") return [];
    return declaration.declarations.flatMap(({ id, init }): Location[] => {
      const root = init ? rootOf(init) : undefined;
      if (id.type !== "Identifier" || init?.type === "Identifier" || !init || !root) return [];
      const { start, end } = init;
      if (schemas.has(root)) {
        schemas.add(id.name);
        // A part of a schema (`z.core.…`, `.shape`) need not be an object.
        const isSchema = init.type !== "MemberExpression";
        return [{ ...(isPostponed && isSchema ? whenUsed : ifUsed), start, end }];
      }
      if (root !== "defineOperation" && root !== "defineFunction") return [];
      const [members] = init.type === "CallExpression" ? init.arguments : [];
      const hasSchemas = isPostponed && root === "defineOperation" && members?.type === "ObjectExpression";
      return [{ ...ifUsed, start, end }, ...(hasSchemas ? schemasOf(members) : [])];
    });
  });
};

const withMarks = (source: string, locations: readonly Location[]): string => {
  const marks = locations.flatMap(({ start, end, before, after }) => [
    { at: start, mark: before },
    { at: end, mark: after },
  ]);
  let marked = source;
  for (const { at, mark } of marks.toSorted((one, other) => other.at - one.at)) {
    marked = marked.slice(0, at) + mark + marked.slice(at);
  }
  return marked;
};

/**
 * Leaves schemas, operations and functions' declarations out of a bundle that nothing in it uses: a bundler cannot know that
 * `z.object(…)` does nothing but make a schema.
 *
 * In some folders schemas are also made when they are used first, and not when their module is loaded. That is for functions
 * of many operations, of which an environment is asked one at first. It is not for others: while a function starts it has a
 * whole CPU and later a share of one, so what the first request needs anyway is made at the start.
 *
 * @param folders where schemas are made when they are used, within the project.
 */
export const postponeSchemas = (projectDirectory: string, folders: readonly string[]): Plugin => ({
  name: "postpone-schemas",
  setup(build) {
    const within = (path: string, names: readonly string[]): boolean =>
      names.some((name) => path.startsWith(join(projectDirectory, name, "/")));
    const runtime = JSON.stringify(join(projectDirectory, "infra/bundling/when-used.ts"));
    build.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      if (!within(path, ["functions", "shared"])) return undefined;
      const source = await readFile(path, "utf8");
      const locations = locationsIn(path, source, within(path, folders));
      // Behind everything else, so that the lines of the source keep their numbers.
      const contents = `${withMarks(source, locations)}\nimport { whenUsed } from ${runtime};\n`;
      return { contents, loader: "ts" };
    });
  },
});
