import { parseSync } from "oxc-parser";
import * as z from "zod";

/** A change of a source file that a test should notice. */
export interface Mutant {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  readonly line: number;
  /** The old and the new code, on one line. */
  readonly change: string;
}

/** A node of the syntax tree, as far as mutations look at it. */
const node = z.looseObject({ type: z.string(), start: z.number(), end: z.number() });
type Node = z.infer<typeof node>;

const asNode = (value: unknown): Node | undefined => node.safeParse(value).data;
const nodesIn = (value: unknown): Node[] =>
  Array.isArray(value) ? value.flatMap(nodesIn) : [asNode(value)].filter((one) => one !== undefined);

const opposites: Readonly<Record<string, string>> = {
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "===": "!==",
  "!==": "===",
  "+": "-",
  "-": "+",
  "*": "/",
  "/": "*",
  "%": "*",
  "&&": "||",
  "||": "&&",
};

/** Wrappers in types' clothes that hold an expression; all other nodes of TypeScript's are types. */
const typedExpressions = new Set(["TSAsExpression", "TSSatisfiesExpression", "TSNonNullExpression"]);
const withoutBehaviour = new Set(["ImportDeclaration", "ExportAllDeclaration", "ImportExpression"]);
/** What these say is documentation, which `npm run check` compares. */
const documentation = new Set(["meta", "describe", "summary", "description", "example", "examples"]);

type Edit = readonly [start: number, end: number, replacement: string];

const binaryEdits = (source: string, one: Node): Edit[] => {
  const [left, right] = [asNode(one["left"]), asNode(one["right"])];
  const operator = String(one["operator"]);
  if (!left || !right) return [];
  if (operator === "??") return [[left.end, right.end, ""]];
  const opposite = opposites[operator];
  const at = source.indexOf(operator, left.end);
  return opposite === undefined || at >= right.start ? [] : [[at, at + operator.length, opposite]];
};

const literalEdits = (one: Node): Edit[] => {
  const value = one["value"];
  if (typeof value === "boolean") return [[one.start, one.end, String(!value)]];
  if (typeof value === "number") return [[one.start, one.end, String(value + 1)]];
  if (typeof value === "string") return [[one.start, one.end, value === "" ? '"mutant"' : '""']];
  return [];
};

const conditionEdits = (source: string, one: Node): Edit[] => {
  const test = asNode(one["test"]);
  return test ? [[test.start, test.end, `!(${source.slice(test.start, test.end)})`]] : [];
};

const statementEdits = (one: Node): Edit[] => {
  const expression = asNode(one["expression"]);
  const called = expression?.type === "AwaitExpression" ? asNode(expression["argument"]) : expression;
  return called?.type === "CallExpression" ? [[one.start, one.end, ";"]] : [];
};

const elementEdits = (source: string, one: Node): Edit[] => {
  if (one.type === "ArrayExpression")
    return nodesIn(one["elements"]).length ? [[one.start, one.end, "[]"]] : [];
  return nodesIn(one["properties"]).map((property) => {
    const comma = /^\s*,/.exec(source.slice(property.end))?.[0].length ?? 0;
    return [property.start, property.end + comma, ""];
  });
};

const bodyEdits = (one: Node): Edit[] => {
  const body = asNode(one["body"]);
  const isLong = body?.type === "BlockStatement" && nodesIn(body["body"]).length > 1;
  return body && isLong ? [[body.start + 1, body.start + 1, " return undefined as never;"]] : [];
};

const editsOf = (source: string, one: Node): Edit[] => {
  switch (one.type) {
    case "BinaryExpression":
    case "LogicalExpression":
      return binaryEdits(source, one);
    case "IfStatement":
    case "ConditionalExpression":
      return conditionEdits(source, one);
    case "UnaryExpression":
      return one["operator"] === "!" ? [[one.start, one.start + 1, ""]] : [];
    case "Literal":
      return literalEdits(one);
    case "ExpressionStatement":
      return statementEdits(one);
    case "AwaitExpression":
      return [[one.start, one.start + "await".length, ""]];
    case "ArrayExpression":
    case "ObjectExpression":
      return elementEdits(source, one);
    case "FunctionDeclaration":
    case "FunctionExpression":
    case "ArrowFunctionExpression":
      return bodyEdits(one);
    default:
      return [];
  }
};

const nameOf = (value: unknown): string => {
  const one = asNode(value);
  return String(one?.["name"] ?? one?.["value"] ?? asNode(one?.["property"])?.["name"] ?? "");
};

/** The parts of a node in which a change would change what the program does. */
const childrenOf = (one: Node): Node[] => {
  if (withoutBehaviour.has(one.type)) return [];
  if (one.type.startsWith("TS") && !typedExpressions.has(one.type)) return [];
  if (one.type === "CallExpression" && documentation.has(nameOf(one["callee"]))) {
    return nodesIn(asNode(one["callee"])?.["object"]);
  }
  if (one.type === "Property") return documentation.has(nameOf(one["key"])) ? [] : nodesIn(one["value"]);
  // A binding's default is behaviour, its names are not.
  return Object.entries(one).flatMap(([key, value]) => (key === "source" ? [] : nodesIn(value)));
};

/** Every mutant of a source file, in the order of the text. */
export const mutantsOf = (file: string, source: string): Mutant[] => {
  const found: Mutant[] = [];
  const visit = (one: Node): void => {
    for (const [start, end, replacement] of editsOf(source, one)) {
      const before = source.slice(start, end).replaceAll(/\s+/g, " ");
      found.push({
        start,
        end,
        replacement,
        line: source.slice(0, start).split("\n").length,
        change: `${before || "(nothing)"} → ${replacement.trim() || "(nothing)"}`,
      });
    }
    for (const child of childrenOf(one)) visit(child);
  };
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message}`);
  for (const statement of nodesIn(program.body)) visit(statement);
  return found.toSorted((a, b) => a.start - b.start);
};

/** The text with the mutant in it. */
export const applyMutant = (source: string, { start, end, replacement }: Mutant): string =>
  source.slice(0, start) + replacement + source.slice(end);
