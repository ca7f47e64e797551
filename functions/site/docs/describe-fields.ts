import {
  type DocumentedSchema,
  type JsonSchema,
  type NamedSchemas,
  resolveSchema,
} from "../../../shared/http/openapi/document.ts";
import { onFirstUse } from "../../../shared/platform/on-first-use.ts";

/** A field of a body, or a parameter. */
export interface FieldRow {
  /** With its path: `messages[].role`. */
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly description: string;
}

/** Bodies of the OpenAI API are deep. The OpenAPI document has the rest. */
const deepest = 4;

const alternativesOf = ({ anyOf, oneOf }: DocumentedSchema, schemas: NamedSchemas): DocumentedSchema[] =>
  (anyOf ?? oneOf ?? []).map((each) => resolveSchema(each, schemas));

const number = onFirstUse(() => new Intl.NumberFormat("en"));

const between = (min: number | undefined, max: number | undefined, what: string): string[] => {
  if (min !== undefined && max !== undefined) {
    return [
      min === max
        ? `${number().format(min)}${what}`
        : `${number().format(min)} to ${number().format(max)}${what}`,
    ];
  }
  if (max !== undefined) return [`at most ${number().format(max)}${what}`];
  return min === undefined || (min === 1 && what !== "") ? [] : [`at least ${number().format(min)}${what}`];
};

const limitsOf = (schema: DocumentedSchema): string[] => [
  ...between(schema.minLength, schema.maxLength, " characters"),
  ...between(schema.minItems, schema.maxItems, " entries"),
  ...between(schema.minimum, schema.maximum, ""),
  ...(schema.exclusiveMinimum === undefined ? [] : [`more than ${number().format(schema.exclusiveMinimum)}`]),
  ...(schema.default === undefined ? [] : [`by default \`${JSON.stringify(schema.default)}\``]),
];

const quoted = (value: unknown): string => `\`${typeof value === "string" ? value : JSON.stringify(value)}\``;

/** Longer lists are in the field's description or the OpenAPI document. */
const maxValues = 12;

const simpleTypeOf = (schema: DocumentedSchema): string => {
  const types = [schema.type ?? []].flat().filter((type) => type !== "null");
  if (schema.format === "binary") return "file";
  if (schema.format === "date-time") return "time";
  if (schema.format === "date") return "date";
  return types.map((type) => (type === "integer" ? "whole number" : type)).join(" or ") || "any";
};

/** The type of a value in words. */
export const typeOf = (given: JsonSchema, schemas: NamedSchemas): string => {
  const schema = resolveSchema(given, schemas);
  if (schema.const !== undefined) return quoted(schema.const);
  if (schema.enum && schema.enum.length <= maxValues) {
    const values = schema.enum.filter((value) => value !== null).map(quoted);
    return values.length === 1 ? values.join("") : `one of ${values.join(", ")}`;
  }
  const alternatives = alternativesOf(schema, schemas).filter(({ type }) => type !== "null");
  if (alternatives.length > 0) {
    return [...new Set(alternatives.map((alternative) => typeOf(alternative, schemas)))].join(" or ");
  }
  if (schema.type === "array") {
    const items = typeof schema.items === "object" ? typeOf(schema.items, schemas) : "any";
    return `list of ${items}`;
  }
  return simpleTypeOf(schema);
};

const isNullable = (schema: DocumentedSchema, schemas: NamedSchemas): boolean =>
  [schema.type ?? []].flat().includes("null") ||
  alternativesOf(schema, schemas).some(({ type }) => type === "null");

/** The members of an object, in all its alternatives. */
const membersOf = (given: JsonSchema, schemas: NamedSchemas): readonly DocumentedSchema[] => {
  const schema = resolveSchema(given, schemas);
  if (schema.properties) return [schema];
  return alternativesOf(schema, schemas).flatMap((alternative) => membersOf(alternative, schemas));
};

const rowsBelow = (given: JsonSchema, schemas: NamedSchemas, name: string, depth: number): FieldRow[] => {
  if (depth >= deepest) return [];
  const schema = resolveSchema(given, schemas);
  const list = [schema, ...alternativesOf(schema, schemas)].find(({ type }) => type === "array");
  if (list && typeof list.items === "object") return rowsBelow(list.items, schemas, `${name}[]`, depth);
  return membersOf(schema, schemas).flatMap(({ properties = {}, required = [] }) =>
    Object.entries(properties)
      // `not` marks members that are refused.
      .filter(([, property]) => typeof property === "object" && property.not === undefined)
      .flatMap(([member, property]) => {
        const path = name === "" ? member : `${name}.${member}`;
        const resolved = resolveSchema(property, schemas);
        return [
          fieldRow(path, property, schemas, required.includes(member)),
          ...rowsBelow(resolved, schemas, path, depth + 1),
        ];
      }),
  );
};

const sentence = (text: string): string => (/[.…!?]$/.test(text) ? text : `${text}.`);

/** One field, without its members. */
export const fieldRow = (
  name: string,
  given: JsonSchema,
  schemas: NamedSchemas,
  isRequired: boolean,
): FieldRow => {
  const schema = resolveSchema(given, schemas);
  const limits = limitsOf(schema).join(", ");
  return {
    name,
    type: `${typeOf(given, schemas)}${isNullable(schema, schemas) ? " or null" : ""}`,
    isRequired,
    description: [schema.description, limits && `${limits[0]?.toUpperCase()}${limits.slice(1)}`]
      .filter((text) => text !== undefined && text !== "")
      .map((text) => sentence(text ?? ""))
      .join(" "),
  };
};

/** All fields of a body, depth first. A name that several alternatives have is listed once. */
export const describeFields = (schema: DocumentedSchema, schemas: NamedSchemas): FieldRow[] => {
  const byName = new Map<string, FieldRow>();
  for (const row of rowsBelow(schema, schemas, "", 0)) {
    const known = byName.get(row.name);
    byName.set(row.name, known ? { ...known, isRequired: known.isRequired && row.isRequired } : row);
  }
  return [...byName.values()];
};
