import type { createDocument } from "zod-openapi";
import type { DocumentedSchema, JsonSchema, NamedSchemas } from "../../shared/http/openapi/document.ts";

type Named = Map<string, JsonSchema>;

/** The words as a name, each with a capital. */
export const componentName = (words: string): string =>
  words.replaceAll(/(?:^|[^a-z\d]+)([a-z\d])/gi, (_, first: string) => first.toUpperCase());

/** A list of values stays with its field: Go's generator has one name for a value of all lists that have names. */
const needsName = ({ properties }: DocumentedSchema): boolean => properties !== undefined;

const isNull = (schema: JsonSchema): boolean => typeof schema === "object" && schema.type === "null";

/** The word that distinguishes an alternative from the others: the value of its `type` or `role`. */
const wordOf = (schema: JsonSchema): string => {
  if (typeof schema === "boolean") return "any";
  const { type, role } = schema.properties ?? {};
  const [word = "object"] = [type, role].flatMap((member) =>
    typeof member === "object" ? (member.const ?? member.enum?.[0] ?? []) : [],
  );
  return String(word);
};

/** Names alternatives, not after their union where there are several: generators call that by the plain name. */
const alternativesWithNames = (list: readonly JsonSchema[], name: string, named: Named): JsonSchema[] => {
  const isUnion = list.filter((one) => !isNull(one)).length > 1;
  return list.map((one) => withNames(one, isUnion ? name + componentName(wordOf(one)) : name, named));
};

const mustBeAbsent = (schema: JsonSchema): boolean => typeof schema === "object" && schema.not !== undefined;

/** Names the members of a schema after it and their fields. */
const withNamedMembers = (schema: DocumentedSchema, name: string, named: Named): DocumentedSchema => {
  const { properties, required, items, anyOf, oneOf } = schema;
  const fields = Object.entries(properties ?? {})
    .filter(([field, member]) => !mustBeAbsent(member) || required?.includes(field))
    .map(([field, member]) => [field, withNames(member, name + componentName(field), named)] as const);
  return {
    ...schema,
    ...(properties ? { properties: Object.fromEntries(fields) } : {}),
    ...(items === undefined ? {} : { items: withNames(items, name.replace(/s$/, ""), named) }),
    ...(anyOf ? { anyOf: alternativesWithNames(anyOf, name, named) } : {}),
    ...(oneOf ? { oneOf: alternativesWithNames(oneOf, name, named) } : {}),
  };
};

/** Moves a schema that needs a name, and those in it, to the named ones; returns what replaces it. */
const withNames = (given: JsonSchema, name: string, named: Named): JsonSchema => {
  if (typeof given === "boolean" || given.$ref) return given;
  if (!needsName(given)) return withNamedMembers(given, name, named);
  if (named.has(name)) throw new Error(`Two schemas would be called ${name}: give one an id.`);
  const { example, ...schema } = given;
  const { description } = schema;
  named.set(name, withNamedMembers(schema, name, named.set(name, {})));
  return {
    ...(description === undefined ? {} : { description }),
    ...(example === undefined ? {} : { example }),
    $ref: `#/components/schemas/${name}`,
  };
};

/**
 * Names every object in a document after the field that has it, so that generated clients do not number them. Leaves out fields that
 * must be absent, which generators do not know.
 *
 * @throws Error when two get the same name.
 */
export const nameSchemas = ({ components, paths }: ReturnType<typeof createDocument>): void => {
  const given: NamedSchemas = components?.schemas ?? {};
  const named: Named = new Map(Object.entries(given));
  for (const [name, schema] of Object.entries(given)) {
    if (typeof schema === "object") named.set(name, withNamedMembers(schema, name, named));
  }
  const all = Object.values(paths ?? {}).flatMap((path) => [path.get, path.post, path.put, path.delete]);
  for (const { operationId = "", responses = {} } of all.flatMap((operation) => operation ?? [])) {
    for (const response of Object.values(responses)) {
      const content = "content" in response ? response.content?.["application/json"] : undefined;
      if (!content || !("schema" in content)) continue;
      Object.assign(content, {
        schema: withNames(content.schema, `${componentName(operationId)}Result`, named),
      });
    }
  }
  Object.assign(components?.schemas ?? {}, Object.fromEntries(named));
};
