/** Where the values of a JSON document are, for messages about them. */
export interface JsonLines {
  /** The line of a value, from 1; that of the closest value around it if there is none at the path. */
  lineOf(path: readonly PropertyKey[]): number;
  /** Members that one object has twice, of which `JSON.parse` keeps only the last. */
  readonly repeated: readonly { readonly name: string; readonly line: number }[];
}

const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+|\n/g;

interface Container {
  readonly path: readonly (string | number)[];
  /** The name of the member that comes next, or the index of the item. */
  next: string | number;
  readonly isObject: boolean;
  /** Whether the next text is the name of a member. */
  expectsName: boolean;
}

const keyOf = (path: readonly PropertyKey[]): string => JSON.stringify(path.map(String));

/**
 * Finds the lines of a JSON document's values. A member is on the line of its name.
 *
 * @param text that `JSON.parse` accepts
 */
export const locateJson = (text: string): JsonLines => {
  const lines = new Map<string, number>([[keyOf([]), 1]]);
  const repeated: { name: string; line: number }[] = [];
  const open: Container[] = [];
  let line = 1;

  const note = (path: readonly PropertyKey[]): void => {
    const key = keyOf(path);
    if (!lines.has(key)) lines.set(key, line);
  };
  const startValue = (): readonly (string | number)[] => {
    const around = open.at(-1);
    const path = around ? [...around.path, around.next] : [];
    if (around && !around.isObject) note(path);
    return path;
  };
  const readName = (around: Container, name: string): void => {
    const path = [...around.path, name];
    if (lines.has(keyOf(path))) repeated.push({ name, line });
    note(path);
    around.next = name;
    around.expectsName = false;
  };
  const readText = (found: string): void => {
    const around = open.at(-1);
    if (around?.expectsName) readName(around, String(JSON.parse(found)));
    else startValue();
  };
  const startNext = (): void => {
    const around = open.at(-1);
    if (around?.isObject) around.expectsName = true;
    else if (around) around.next = Number(around.next) + 1;
  };

  for (const [found] of text.matchAll(token)) {
    if (found === "\n") line++;
    else if (found === "{" || found === "[") {
      const isObject = found === "{";
      open.push({ path: startValue(), next: isObject ? "" : 0, isObject, expectsName: isObject });
    } else if (found === "}" || found === "]") open.pop();
    else if (found === ",") startNext();
    else if (found !== ":") readText(found);
  }
  const lineOf = (path: readonly PropertyKey[]): number =>
    lines.get(keyOf(path)) ?? (path.length === 0 ? 1 : lineOf(path.slice(0, -1)));
  return { lineOf, repeated };
};
