/** Returns the value of a variable such as `context.requestId`, or undefined. */
export type Variables = (name: string) => string | undefined;

/** Follows a dotted name into nested records. */
export const lookUp = (root: unknown, path: readonly string[]): string | undefined => {
  let value: unknown = root;
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = Reflect.get(value, key);
  }
  return value === undefined || value === null ? undefined : String(value);
};

const variable =
  /\$((?:context|stageVariables)(?:\.\w+)+|method\.request\.(?:header|querystring|path)\.[\w-]+)/;

/** The one decision that templates may take: whether a variable of the request is a text. */
export const choice = /#if\(\$(context(?:\.\w+)+) == "([^"]*)"\)(.*?)#else\b(.*?)#end/s;

/**
 * Prepares a template that inserts variables (`$context.requestId`), and may choose between two texts by one; unknown ones are
 * inserted as nothing.
 */
export const compileTemplate = (template: string): ((variables: Variables) => string) => {
  const [before = "", name, wanted, then = "", otherwise = "", ...after] = template.split(choice);
  if (name === undefined) return compileText(before);
  const texts = [before, then, otherwise, after.join("")].map(compileText);
  return (variables) =>
    texts
      .filter((_, index) => index !== (variables(name) === wanted ? 2 : 1))
      .map((text) => text(variables))
      .join("");
};

const compileText = (template: string): ((variables: Variables) => string) => {
  // Splitting at a capturing pattern leaves texts and names in turn.
  const parts = template.split(variable);
  return (variables) =>
    parts.map((part, index) => (index % 2 === 0 ? part : (variables(part) ?? ""))).join("");
};

/**
 * Prepares the value of a header: `'a quoted static'`, or the name of a variable.
 *
 * @throws Error when it is neither.
 */
const compileExpression = (expression: string): ((variables: Variables) => string | undefined) => {
  const quoted = /^'(?<text>.*)'$/s.exec(expression)?.groups?.["text"];
  if (quoted !== undefined) return () => quoted;
  if (variable.exec(`$${expression}`)?.[0] === `$${expression}`) return (variables) => variables(expression);
  throw new Error(`The gateway cannot make a header out of ${expression}.`);
};

/** Prepares headers that are given as expressions; those whose variable has no value are left out. */
export const compileHeaders = (
  expressions: Readonly<Record<string, string>>,
): ((variables: Variables) => Record<string, string>) => {
  const compiled = Object.entries(expressions).map(
    ([name, text]) => [name, compileExpression(text)] as const,
  );
  return (variables) => {
    const headers: Record<string, string> = {};
    for (const [name, evaluate] of compiled) {
      const value = evaluate(variables);
      if (value !== undefined) headers[name] = value;
    }
    return headers;
  };
};
