import fc from "fast-check";
import * as z from "zod";
import { makeChunkTables, withBoxContent } from "../fixtures/audio/make-mp4.ts";
import { Random } from "../fixtures/audio/random.ts";
import { audioBytes, wavFile } from "../support/wav.ts";

type JsonSchema = z.core.JSONSchema.BaseSchema;
type Definitions = Readonly<Record<string, unknown>>;

/** The schema of a request's part, as JSON Schema describes what a client sends. */
export const describeInput = (schema: z.ZodType): JsonSchema =>
  z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });

/** Languages, models and words that mean something to the service; most texts of a schema's example do not. */
const meaningful = fc.constantFrom(
  "lug",
  "eng",
  "ach",
  "nyn",
  "Luganda",
  "English",
  "lang-9b",
  "salt_lug_0001",
);

const isSchema = (value: unknown): value is JsonSchema => typeof value === "object" && value !== null;

const maxTableLength = 4_000;

/** Writes the largest number where a table says how many entries it has. */
const overstate = (content: Buffer): void => void content.writeUInt32BE(0xffffffff, 4);

const numberOf = (value: unknown, otherwise: number): number =>
  typeof value === "number" ? value : otherwise;

/** In addition to real recordings, indexes that contradict themselves, or claim four thousand million entries. */
const recordings = fc.oneof(
  {
    arbitrary: fc.constant(new File([wavFile(audioBytes(24_000), { stated: true })], "recording.wav")),
    weight: 6,
  },
  fc.record({ seed: fc.nat(), box: fc.constantFrom("stco", "stsc", undefined) }).map(({ seed, box }) => {
    const file = makeChunkTables(new Random(seed), maxTableLength);
    const overstated = box && file.includes(box) ? withBoxContent(file, box, overstate) : file;
    return new File([Uint8Array.from(overstated)], "tables.mp4");
  }),
);

const textOf = (schema: JsonSchema): fc.Arbitrary<unknown> => {
  const { format, minLength, maxLength } = schema;
  if (format === "email") {
    return fc.stringMatching(/^[a-z0-9]{6,20}$/).map((name) => `${name}@example.com`);
  }
  if (format === "uuid") return fc.uuid();
  if (format === "binary") return recordings;
  const min = numberOf(minLength, 0);
  const max = Math.min(numberOf(maxLength, 200), min + 200);
  return fc.oneof(
    fc.string({ minLength: min, maxLength: max }),
    fc.string({ unit: "grapheme", minLength: min, maxLength: Math.max(min, Math.floor(max / 8)) }),
    fc.stringMatching(/^[a-z0-9]{8,20}$/),
    meaningful,
  );
};

const numbersOf = (schema: JsonSchema): fc.Arbitrary<number> => {
  const min = numberOf(schema.minimum ?? schema.exclusiveMinimum, -1_000);
  const max = numberOf(schema.maximum ?? schema.exclusiveMaximum, Math.max(min, 0) + 100_000);
  if (schema.type === "integer") {
    return fc.integer({ min: Math.ceil(Math.max(min, -1e9)), max: Math.floor(Math.min(max, 1e9)) });
  }
  return fc.double({ min: min, max: max, noNaN: true });
};

const membersOf = (schema: JsonSchema, definitions: Definitions): fc.Arbitrary<unknown> => {
  const members = Object.entries(schema.properties ?? {}).filter(
    ([, member]) => isSchema(member) && !("not" in member),
  );
  const values = Object.fromEntries(
    members.map(([name, member]) => [
      name,
      isSchema(member) ? arbitraryOf(member, definitions) : fc.constant(null),
    ]),
  );
  const required = (schema.required ?? []).filter((name) => name in values);
  return fc.record(values, { requiredKeys: required });
};

const byType = (schema: JsonSchema, definitions: Definitions): fc.Arbitrary<unknown> => {
  switch (schema.type) {
    case "string":
      return textOf(schema);
    case "number":
    case "integer":
      return numbersOf(schema);
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array":
      return fc.array(isSchema(schema.items) ? arbitraryOf(schema.items, definitions) : fc.jsonValue(), {
        minLength: numberOf(schema.minItems, 0),
        maxLength: Math.min(numberOf(schema.maxItems, 3), 3),
      });
    case "object":
      return membersOf(schema, definitions);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
};

const anyOf = (schemas: readonly unknown[], definitions: Definitions): fc.Arbitrary<unknown> =>
  fc.oneof(...schemas.filter(isSchema).map((schema) => arbitraryOf(schema, definitions)));

const arbitraryOf = (schema: JsonSchema, definitions: Definitions): fc.Arbitrary<unknown> => {
  const reference = schema.$ref && definitions[schema.$ref.replace("#/$defs/", "")];
  if (isSchema(reference)) return arbitraryOf(reference, definitions);
  const override = schema["override"];
  const shape: JsonSchema = isSchema(override) ? override : schema;
  if (shape.enum) return fc.constantFrom(...shape.enum);
  if (shape.const !== undefined) return fc.constant(shape.const);
  // JSON Schema may name several types at once.
  const types: unknown = shape.type;
  const alternatives = shape.anyOf ?? shape.oneOf;
  const values = alternatives
    ? anyOf(alternatives, definitions)
    : Array.isArray(types)
      ? anyOf(
          types.map((type) => ({ ...shape, type })),
          definitions,
        )
      : byType(shape, definitions);
  const example = schema["example"];
  return example === undefined ? values : fc.oneof({ arbitrary: fc.constant(example), weight: 2 }, values);
};

const known = new WeakMap<z.ZodType, fc.Arbitrary<unknown>>();

/** Values that a schema mostly accepts: rules that JSON Schema cannot express are not known here. */
export const valuesOf = (schema: z.ZodType): fc.Arbitrary<unknown> => {
  const before = known.get(schema);
  if (before) return before;
  const described = describeInput(schema);
  const values = arbitraryOf(described, { ...described.$defs });
  known.set(schema, values);
  return values;
};
