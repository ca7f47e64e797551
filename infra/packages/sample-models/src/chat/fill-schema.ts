import * as z from "zod";

/** The parts of JSON Schema that the sample server understands; it ignores the rest of a schema. */
interface Schema {
  readonly $ref?: string | undefined;
  readonly type?: string | readonly string[] | undefined;
  readonly const?: unknown;
  readonly enum?: readonly unknown[] | undefined;
  readonly anyOf?: readonly Schema[] | undefined;
  readonly oneOf?: readonly Schema[] | undefined;
  readonly properties?: Readonly<Record<string, Schema>> | undefined;
  readonly items?: Schema | undefined;
  readonly minItems?: number | undefined;
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly $defs?: Readonly<Record<string, Schema>> | undefined;
  readonly definitions?: Readonly<Record<string, Schema>> | undefined;
}

/** A JSON Schema, as far as it is understood here. */
export const jsonSchema: z.ZodType<Schema> = z.lazy(() =>
  z.looseObject({
    $ref: z.string().optional(),
    type: z.union([z.string(), z.array(z.string())]).optional(),
    enum: z.array(z.unknown()).optional(),
    anyOf: z.array(jsonSchema).optional(),
    oneOf: z.array(jsonSchema).optional(),
    properties: z.record(z.string(), jsonSchema).optional(),
    items: jsonSchema.optional(),
    minItems: z.number().optional(),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
    $defs: z.record(z.string(), jsonSchema).optional(),
    definitions: z.record(z.string(), jsonSchema).optional(),
  }),
);
export type JsonSchema = Schema;

/** Schemas may contain themselves; no test needs a value that is nested more deeply. */
const deepest = 8;

const maxItems = 20;

/** A few definitions that name each other may stand for any number of values. */
const maxValues = 5_000;

/** Where the values of a schema come from. */
export interface Source {
  /** Chooses among the values of an enumeration, and is where numbers are read. */
  readonly message: string;
  /** Texts in the order of use; the last one is repeated for further fields. */
  readonly texts: readonly string[];
}

/** A value that a JSON Schema allows. The same schema and source always give the same value. */
export const fillSchema = (root: JsonSchema, { message, texts }: Source): unknown => {
  const numbers = (message.match(/-?\d+(?:\.\d+)?/gu) ?? []).map(Number);
  let textsUsed = 0;
  let numbersUsed = 0;
  let values = 0;
  const nextText = () => texts[Math.min(textsUsed++, texts.length - 1)] ?? "";
  const definition = (reference: string): JsonSchema => {
    const name = reference.split("/").at(-1) ?? "";
    return reference === "#" ? root : (root.$defs?.[name] ?? root.definitions?.[name] ?? {});
  };
  const chosen = (values: readonly unknown[]): unknown =>
    values.find(
      (value) => typeof value === "string" && message.toLowerCase().includes(value.toLowerCase()),
    ) ?? values[0];
  const number = ({ minimum, maximum }: JsonSchema, isWhole: boolean): number => {
    const found = numbers[numbersUsed++] ?? minimum ?? 0;
    const bounded = Math.max(minimum ?? found, Math.min(maximum ?? found, found));
    return isWhole ? Math.trunc(bounded) : bounded;
  };
  const fill = (schema: JsonSchema, depth: number): unknown => {
    values += 1;
    if (depth > deepest || values > maxValues) return null;
    if (schema.$ref !== undefined) return fill(definition(schema.$ref), depth + 1);
    if (schema.const !== undefined) return schema.const;
    if (schema.enum) return chosen(schema.enum);
    const alternatives = schema.anyOf ?? schema.oneOf;
    if (alternatives) {
      return fill(alternatives.find(({ type }) => type !== "null") ?? { type: "null" }, depth + 1);
    }
    const type = [schema.type ?? (schema.properties ? "object" : "string")].flat();
    switch (type.find((name) => name !== "null")) {
      case "object":
        return Object.fromEntries(
          Object.entries(schema.properties ?? {}).map(([name, member]) => [name, fill(member, depth + 1)]),
        );
      case "array": {
        const length = Math.min(Math.max(1, schema.minItems ?? 1), maxItems);
        return Array.from({ length }, () => fill(schema.items ?? {}, depth + 1));
      }
      case "integer":
        return number(schema, true);
      case "number":
        return number(schema, false);
      case "boolean":
        return false;
      case "string":
        return nextText();
      default:
        return null;
    }
  };
  return fill(root, 0);
};
