import {
  type ArrowFunctionExpression,
  type Expression,
  type Function as FunctionNode,
  type SpreadElement,
  Visitor,
} from "oxc-parser";
import { isProduction, lineOf, type SourceModule } from "../sources.ts";

/** A function, and how many of its lines are its own: all but those of the functions that it returns. */
export interface MeasuredFunction {
  readonly path: string;
  readonly line: number;
  readonly name: string;
  readonly ownLines: number;
}

type AnyFunction = FunctionNode | ArrowFunctionExpression;

/** A function that is being visited. */
interface Frame {
  readonly node: AnyFunction;
  /** The expressions that it may return. */
  readonly returned: Expression[];
  /** Functions and initial values by the names that it declares. */
  readonly declared: Map<string, Expression | FunctionNode>;
}

const isFunction = (node: { readonly type: string }): node is AnyFunction =>
  /^(ArrowFunctionExpression|FunctionExpression|FunctionDeclaration)$/.test(node.type);

const elementsOf = (elements: readonly (Expression | SpreadElement | null)[]): Expression[] =>
  elements.flatMap((element) => {
    if (!element) return [];
    return [element.type === "SpreadElement" ? element.argument : element];
  });

/** The expressions that a value is composed of: an object of its members, a new instance of its arguments. A call may do anything. */
const partsOf = (value: Expression): Expression[] => {
  switch (value.type) {
    case "ObjectExpression":
      return value.properties.map((property) =>
        property.type === "Property" ? property.value : property.argument,
      );
    case "ArrayExpression":
      return elementsOf(value.elements);
    case "NewExpression":
      return elementsOf(value.arguments);
    case "ConditionalExpression":
      return [value.consequent, value.alternate];
    case "LogicalExpression":
      return [value.left, value.right];
    case "TSAsExpression":
    case "TSSatisfiesExpression":
    case "ParenthesizedExpression":
      return [value.expression];
    default:
      return [];
  }
};

/** The functions that a function returns: directly, by the name of a constant, or as members of an object or a list. */
const returnedFunctions = ({ returned, declared }: Frame): Set<AnyFunction> => {
  const found = new Set<AnyFunction>();
  const seen = new Set<Expression | FunctionNode>();
  const resolve = (value: Expression | FunctionNode): void => {
    if (seen.has(value)) return;
    seen.add(value);
    if (isFunction(value)) {
      found.add(value);
      return;
    }
    const named = value.type === "Identifier" ? declared.get(value.name) : undefined;
    if (named) resolve(named);
    partsOf(value).forEach(resolve);
  };
  returned.forEach(resolve);
  return found;
};

const ownLinesOf = (frame: Frame, text: string): number => {
  const [first, last] = [lineOf(text, frame.node.start), lineOf(text, frame.node.end - 1)];
  const others = new Set<number>();
  for (const { start, end } of returnedFunctions(frame)) {
    for (let line = lineOf(text, start); line <= lineOf(text, end - 1); line += 1) others.add(line);
  }
  return last - first + 1 - others.size;
};

const keyName = (key: { readonly type: string; readonly name?: unknown }): string | undefined =>
  typeof key.name === "string" ? key.name : undefined;

/** Every function of a module that has a body, in the order in which they end. */
export const functionsOf = ({ path, text, parsed }: SourceModule): MeasuredFunction[] => {
  const measured: MeasuredFunction[] = [];
  const frames: Frame[] = [];
  const names = new Map<unknown, string | undefined>();
  const enter = (node: AnyFunction): void => {
    const name = node.id?.name;
    if (node.type === "FunctionDeclaration" && name) frames.at(-1)?.declared.set(name, node);
    if (name) names.set(node, name);
    const returned = node.body && node.body.type !== "BlockStatement" ? [node.body] : [];
    frames.push({ node, returned, declared: new Map() });
  };
  const leave = (node: AnyFunction): void => {
    const frame = frames.pop();
    if (!frame || !node.body) return;
    const name = names.get(node) ?? "(anonymous)";
    measured.push({ path, line: lineOf(text, node.start), name, ownLines: ownLinesOf(frame, text) });
  };
  new Visitor({
    VariableDeclarator: ({ id, init }) => {
      if (id.type !== "Identifier" || !init) return;
      names.set(init, id.name);
      frames.at(-1)?.declared.set(id.name, init);
    },
    Property: ({ key, value }) => void names.set(value, keyName(key)),
    MethodDefinition: ({ key, value }) => void names.set(value, keyName(key)),
    PropertyDefinition: ({ key, value }) => void names.set(value, keyName(key)),
    ReturnStatement: ({ argument }) => {
      if (argument) frames.at(-1)?.returned.push(argument);
    },
    FunctionDeclaration: enter,
    "FunctionDeclaration:exit": leave,
    FunctionExpression: enter,
    "FunctionExpression:exit": leave,
    ArrowFunctionExpression: enter,
    "ArrowFunctionExpression:exit": leave,
  }).visit(parsed.program);
  return measured;
};

/** The functions of production code that have more lines of their own than a bound, the longest first. */
export const longFunctions = (modules: readonly SourceModule[], bound: number): MeasuredFunction[] =>
  modules
    .filter(({ path }) => isProduction(path))
    .flatMap(functionsOf)
    .filter(({ ownLines }) => ownLines > bound)
    .toSorted((one, other) => other.ownLines - one.ownLines);
