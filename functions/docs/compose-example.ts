import {
  type DocumentedSchema,
  type JsonSchema,
  type NamedSchemas,
  resolveSchema,
} from "../../shared/http/openapi/document.ts";

/** Examples by format. */
const byFormat: ReadonlyMap<string, string> = new Map([
  ["date-time", "2026-11-22T09:30:00.000Z"],
  ["date", "2026-11-22"],
  ["uuid", "3f0a2c1e-7d4b-4c58-9a51-0e6b6a0f2d11"],
]);

export interface Composing {
  readonly schemas: NamedSchemas;
  /** A request shows only the optional members that have an example; a response shows all it can. */
  readonly side: "request" | "answer";
  /** Collects the locations without an example. */
  readonly missing: string[];
}

const typesOf = ({ type }: DocumentedSchema): readonly string[] => [type ?? []].flat();

const isNothing = (schema: JsonSchema | undefined): boolean =>
  schema === false || (typeof schema === "object" && schema.not !== undefined);

const fromAlternatives = (
  alternatives: readonly JsonSchema[],
  location: string,
  composing: Composing,
): unknown => {
  const attempts = alternatives.map((alternative) => {
    const missing: string[] = [];
    return { value: composeExample(alternative, location, { ...composing, missing }), missing };
  });
  const good = attempts.find(({ value, missing }) => missing.length === 0 && value !== null);
  if (good) return good.value;
  if (attempts.some(({ value }) => value === null)) return null;
  for (const missing of attempts[0]?.missing ?? [location]) composing.missing.push(missing);
  return undefined;
};

const fromMembers = (
  { properties = {}, required = [] }: DocumentedSchema,
  location: string,
  composing: Composing,
): unknown =>
  Object.fromEntries(
    Object.entries(properties).flatMap(([name, property]) => {
      const isRequired = required.includes(name);
      if (
        !isRequired &&
        composing.side === "request" &&
        resolveSchema(property, composing.schemas).example === undefined
      )
        return [];
      const missing: string[] = [];
      const value = composeExample(property, `${location}.${name}`, { ...composing, missing });
      if (isRequired) for (const each of missing) composing.missing.push(each);
      return missing.length > 0 ? [] : [[name, value] as const];
    }),
  );

/**
 * Composes a value from the examples in a schema.
 *
 * @param location names the value if its example is missing.
 */
export const composeExample = (reference: JsonSchema, location: string, composing: Composing): unknown => {
  const schema = resolveSchema(reference, composing.schemas);
  if (schema.example !== undefined) return schema.example;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives) return fromAlternatives(alternatives, location, composing);
  const types = typesOf(schema);
  if (types.includes("null")) return null;
  if (types.includes("object")) return fromMembers(schema, location, composing);
  if (types.includes("array")) {
    return isNothing(schema.items) ? [] : [composeExample(schema.items ?? {}, `${location}[]`, composing)];
  }
  const usual = byFormat.get(schema.format ?? "");
  if (usual === undefined) composing.missing.push(location);
  return usual;
};
