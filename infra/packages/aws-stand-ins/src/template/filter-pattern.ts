/** Whether a line of a log matches. */
export type LineFilter = (line: string) => boolean;

type Test = (fields: Readonly<Record<string, unknown>>) => boolean;

const term =
  /^\(?\s*\$\.(?<name>\w+)\s*(?<operator>=|!=|<|<=|>|>=)\s*(?:"(?<text>[^"*\\]*)"|(?<number>-?\d+(?:\.\d+)?))\s*\)?$/;

const numberTests: Readonly<Record<string, (value: number, wanted: number) => boolean>> = {
  "=": (value, wanted) => value === wanted,
  "!=": (value, wanted) => value !== wanted,
  "<": (value, wanted) => value < wanted,
  "<=": (value, wanted) => value <= wanted,
  ">": (value, wanted) => value > wanted,
  ">=": (value, wanted) => value >= wanted,
};

const readTerm = (source: string): Test | undefined => {
  const { name = "", operator = "", text, number } = term.exec(source.trim())?.groups ?? {};
  if (number !== undefined) {
    const test = numberTests[operator];
    return (fields) => typeof fields[name] === "number" && test?.(fields[name], Number(number)) === true;
  }
  if (text === undefined || (operator !== "=" && operator !== "!=")) return undefined;
  return (fields) => name in fields && (fields[name] === text) === (operator === "=");
};

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const fieldsOf = (line: string): Readonly<Record<string, unknown>> | undefined => {
  if (!line.startsWith("{")) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

/**
 * Reads a filter pattern of CloudWatch Logs: comparisons of the fields of JSON with texts and numbers, joined by `&&`.
 *
 * @returns `undefined` for patterns of other forms.
 */
export const readFilterPattern = (pattern: string): LineFilter | undefined => {
  const content = /^\s*\{(?<content>.*)\}\s*$/s.exec(pattern)?.groups?.["content"];
  const tests = content?.split("&&").map(readTerm) ?? [];
  if (tests.length === 0 || tests.includes(undefined)) return undefined;
  return (line) => {
    const fields = fieldsOf(line);
    return fields !== undefined && tests.every((test) => test?.(fields));
  };
};
