/** The value of an expression or a metric in one period; `undefined` when nothing was measured. */
export type Value = number | undefined;

/** A metric of an expression: its value in the period, and whether it has any value in the whole range. */
export interface Operand {
  readonly value: Value;
  readonly hasData: boolean;
}

const both = (left: Value, right: Value, combine: (a: number, b: number) => number): Value =>
  left === undefined || right === undefined ? undefined : combine(left, right);

const operators: Readonly<Record<string, (a: number, b: number) => number>> = {
  ">=": (a, b) => Number(a >= b),
  "<=": (a, b) => Number(a <= b),
  ">": (a, b) => Number(a > b),
  "<": (a, b) => Number(a < b),
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
};
const levels = [
  [">=", "<=", ">", "<"],
  ["+", "-"],
  ["*", "/"],
];

/**
 * Evaluates the part of CloudWatch's metric math that our alarms use, in one period. A missing operand makes a result missing,
 * except in `FILL`. Whether `FILL` fills a metric that has no value in the whole range is documented nowhere: here it does not, and
 * alarms must ring anyway.
 */
export const evaluateMath = (expression: string, operands: ReadonlyMap<string, Operand>): Value => {
  const tokens = expression.match(/[A-Za-z_]\w*|\d+(?:\.\d+)?|>=|<=|[-+*/<>(),]/g) ?? [];
  let next = 0;
  const take = (expected?: string): string => {
    const token = tokens[next] ?? "";
    if (expected !== undefined && token !== expected) throw new Error(`Not understood: ${expression}`);
    next += 1;
    return token;
  };
  const operandOf = (name: string): Operand => {
    const operand = operands.get(name);
    if (!operand) throw new Error(`The expression has no metric ${name}.`);
    return operand;
  };
  const readCall = (name: string): Value => {
    take("(");
    const filled = name === "FILL" ? operandOf(tokens[next] ?? "") : undefined;
    const values = [readLevel(0)];
    while (tokens[next] === ",") {
      take(",");
      values.push(readLevel(0));
    }
    take(")");
    const [first, second, third] = values;
    if (filled) return first ?? (filled.hasData ? second : undefined);
    if (name !== "IF") throw new Error(`The function ${name} is not supported here.`);
    if (first === undefined) return undefined;
    return first === 0 ? third : second;
  };
  const readTerm = (): Value => {
    const token = take();
    if (token === "(") {
      const value = readLevel(0);
      take(")");
      return value;
    }
    if (/^\d/.test(token)) return Number(token);
    return tokens[next] === "(" ? readCall(token) : operandOf(token).value;
  };
  const readLevel = (level: number): Value => {
    const known = levels[level];
    if (!known) return readTerm();
    let value = readLevel(level + 1);
    while (known.includes(tokens[next] ?? "")) {
      const combine = operators[take()];
      if (combine) value = both(value, readLevel(level + 1), combine);
    }
    return value;
  };
  const result = readLevel(0);
  if (next !== tokens.length) throw new Error(`Not understood: ${expression}`);
  return result;
};
