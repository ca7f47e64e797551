/**
 * How a variable of the environment is read. A zod schema is one as well; those below exist because loading zod would be a
 * third of the authorizer's start.
 */
export interface Variable<Value> {
  safeParse(text: unknown): Reading<Value>;
}

type Reading<Value> =
  | { readonly success: true; readonly data: Value }
  | { readonly success: false; readonly error: { readonly issues: readonly { readonly message: string }[] } };

export type VariableShape = Readonly<Record<string, Variable<unknown>>>;

type ValueOf<Declared> = Declared extends Variable<infer Value> ? Value : never;

type OptionalNames<Shape extends VariableShape> = {
  [Name in keyof Shape]: undefined extends ValueOf<Shape[Name]> ? Name : never;
}[keyof Shape];

/** The values of variables after reading them. */
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

export const anyTextVariable = variable<string>("a text", (text) => text);

export const textVariable = variable<string>("a text", (text) => text || undefined);

export const addressVariable = variable<string>("an address", (text) =>
  URL.canParse(text) ? text.trim() : undefined,
);

/** An absolute address without a slash at its end, so that paths can be put after it. */
export const baseAddressVariable = variable<string>("an address", (text) =>
  URL.canParse(text) ? text.trim().replace(/\/+$/, "") : undefined,
);

const numberIn = (text: string): number => (text.trim() === "" ? Number.NaN : Number(text));

export const countVariable = variable<number>("a whole number from 1", (text) => {
  const count = numberIn(text);
  return Number.isSafeInteger(count) && count >= 1 ? count : undefined;
});

/** Numbers of ports, separated by commas. */
export const portsVariable = variable<readonly number[]>("ports", (text) =>
  /^\d+(?:,\d+)*$/.test(text) ? text.split(",").map(Number) : undefined,
);

/** A number of days; 0 usually means that something does not end. */
export const daysVariable = variable<number>("a whole number from 0", (text) => {
  const days = numberIn(text);
  return Number.isSafeInteger(days) && days >= 0 ? days : undefined;
});

export const shareVariable = variable<number>("a number above 0 and up to 1", (text) => {
  const share = numberIn(text);
  return share > 0 && share <= 1 ? share : undefined;
});

export const switchVariable = variable<boolean>("true or false", (text) => {
  if (text === "true") return true;
  return text === "false" ? false : undefined;
});

/** A variable that may be missing. */
export const optionalVariable = <Value>(declared: Variable<Value>): Variable<Value | undefined> => ({
  safeParse: (text) => (text === undefined ? { success: true, data: undefined } : declared.safeParse(text)),
});

/** A variable with a default. */
export const presetVariable = <Value>(declared: Variable<Value>, preset: Value): Variable<Value> => ({
  safeParse: (text) => (text === undefined ? { success: true, data: preset } : declared.safeParse(text)),
});

/** Reads variables. @returns their values, or what is wrong with them, without their values. */
const readShape = <Shape extends VariableShape>(
  shape: Shape,
  variables: ReadonlyMap<string, unknown>,
): { readonly values: VariableValues<Shape>; readonly problems: readonly string[] } => {
  const values: Record<string, unknown> = {};
  const problems: string[] = [];
  for (const [name, declared] of Object.entries(shape)) {
    const reading = declared.safeParse(variables.get(name));
    if (!reading.success) {
      for (const { message } of reading.error.issues) problems.push(`${name}: ${message}`);
    } else if (reading.data !== undefined) values[name] = reading.data;
  }
  // Without problems, each name of the shape has the value that its variable read.
  return { values: values as VariableValues<Shape>, problems };
};

/** The members of an object as JSON, each as text; none of what is not an object. */
const membersIn = (text: unknown): ReadonlyMap<string, unknown> => {
  try {
    const parsed: unknown = JSON.parse(String(text));
    return new Map(
      Object.entries(Object(parsed)).map(([name, value]) => [
        name,
        value === null ? undefined : String(value),
      ]),
    );
  } catch {
    return new Map();
  }
};

/** Several values that belong together, as an object of JSON whose members are read as variables are. */
export const groupVariable = <Shape extends VariableShape>(
  shape: Shape,
): Variable<VariableValues<Shape>> => ({
  safeParse: (text) => {
    const { values, problems } = readShape(shape, membersIn(text));
    if (problems.length === 0) return { success: true, data: values };
    return { success: false, error: { issues: problems.map((message) => ({ message })) } };
  },
});

/** @throws Error that names every missing or malformed variable, without their values. */
export const readVariables = <Shape extends VariableShape>(
  shape: Shape,
  variables: Readonly<Record<string, string | undefined>>,
): VariableValues<Shape> => {
  const { values, problems } = readShape(shape, new Map(Object.entries(variables)));
  if (problems.length === 0) return values;
  throw new Error(`The function's environment is not complete. ${problems.join("; ")}`);
};
