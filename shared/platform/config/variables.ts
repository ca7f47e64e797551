/**
 * What a variable of the environment may say. A schema of zod is one as well; those below are here because every function
 * reads some, the authorizer has nothing else to read, and loading zod would be a third of its start.
 */
export interface Variable<Value> {
  safeParse(text: unknown): Reading<Value>;
}

type Reading<Value> =
  | { readonly success: true; readonly data: Value }
  | { readonly success: false; readonly error: { readonly issues: readonly { readonly message: string }[] } };

/** Variables by their names. */
export type VariableShape = Readonly<Record<string, Variable<unknown>>>;

type ValueOf<Declared> = Declared extends Variable<infer Value> ? Value : never;

type OptionalNames<Shape extends VariableShape> = {
  [Name in keyof Shape]: undefined extends ValueOf<Shape[Name]> ? Name : never;
}[keyof Shape];

/** What variables say, once they have been read. */
export type VariableValues<Shape extends VariableShape> = {
  readonly [Name in Exclude<keyof Shape, OptionalNames<Shape>>]: ValueOf<Shape[Name]>;
} & { readonly [Name in OptionalNames<Shape>]?: ValueOf<Shape[Name]> };

const variable = <Value>(
  expected: string,
  read: (text: string) => Exclude<Value, undefined> | undefined,
): Variable<Value> => ({
  safeParse: (text) => {
    const data = typeof text === "string" ? read(text) : undefined;
    if (data !== undefined) return { success: true, data };
    return { success: false, error: { issues: [{ message: `Expected ${expected}` }] } };
  },
});

/** A text, empty or not. */
export const anyTextVariable = variable<string>("a text", (text) => text);

/** A text that is not empty. */
export const textVariable = variable<string>("a text", (text) => text || undefined);

/** An absolute address. */
export const addressVariable = variable<string>("an address", (text) =>
  URL.canParse(text) ? text.trim() : undefined,
);

/** An absolute address without a slash at its end, so that paths can be put after it. */
export const baseAddressVariable = variable<string>("an address", (text) =>
  URL.canParse(text) ? text.trim().replace(/\/+$/, "") : undefined,
);

const numberIn = (text: string): number => (text.trim() === "" ? Number.NaN : Number(text));

/** A whole number from 1. */
export const countVariable = variable<number>("a whole number from 1", (text) => {
  const count = numberIn(text);
  return Number.isSafeInteger(count) && count >= 1 ? count : undefined;
});

/** A number above 0 and up to 1. */
export const shareVariable = variable<number>("a number above 0 and up to 1", (text) => {
  const share = numberIn(text);
  return share > 0 && share <= 1 ? share : undefined;
});

/** `true` or `false`. */
export const switchVariable = variable<boolean>("true or false", (text) => {
  if (text === "true") return true;
  return text === "false" ? false : undefined;
});

/** A variable that need not be there. */
export const optionalVariable = <Value>(declared: Variable<Value>): Variable<Value | undefined> => ({
  safeParse: (text) => (text === undefined ? { success: true, data: undefined } : declared.safeParse(text)),
});

/** A variable that has a meaning when it is missing, too. */
export const presetVariable = <Value>(declared: Variable<Value>, preset: Value): Variable<Value> => ({
  safeParse: (text) => (text === undefined ? { success: true, data: preset } : declared.safeParse(text)),
});

/**
 * Reads variables, all at once.
 *
 * @throws Error that names every missing or malformed variable, without their values.
 */
export const readVariables = <Shape extends VariableShape>(
  shape: Shape,
  variables: Readonly<Record<string, string | undefined>>,
): VariableValues<Shape> => {
  const values: Record<string, unknown> = {};
  const problems: string[] = [];
  for (const [name, declared] of Object.entries(shape)) {
    const reading = declared.safeParse(variables[name]);
    if (!reading.success) problems.push(...reading.error.issues.map(({ message }) => `${name}: ${message}`));
    else if (reading.data !== undefined) values[name] = reading.data;
  }
  if (problems.length > 0)
    throw new Error(`The function's environment is not complete. ${problems.join("; ")}`);
  // Each name of the shape has just been given the value that its variable has read.
  return values as VariableValues<Shape>;
};
