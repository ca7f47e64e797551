import { describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { whenUsed } from "../../../infra/bundling/when-used.ts";

const setup = () => {
  const make = vi.fn(() => z.object({ kind: z.literal("a"), name: z.string().min(1) }));
  return { make, schema: whenUsed(make) };
};
const value = { kind: "a", name: "Amina" } as const;

describe("A schema that is created on first use", () => {
  it("is not created when it is passed on, as a part of other schemas, or declared", () => {
    const { make, schema } = setup();
    const declaration = { body: { schema }, list: z.array(schema), page: z.object({ item: schema }) };
    expect(declaration.body.schema).toBe(schema);
    expect(make).not.toHaveBeenCalled();
  });

  it("is created once", () => {
    const { make, schema } = setup();
    for (const _time of [1, 2]) expect(schema.parse(value)).toEqual(value);
    expect(make).toHaveBeenCalledOnce();
  });

  it.each<[string, (schema: ReturnType<typeof setup>["schema"]) => z.ZodType, unknown, unknown]>([
    ["itself", (schema) => schema, value, { ...value, name: "" }],
    ["a member", (schema) => z.object({ item: schema }), { item: value }, { item: {} }],
    ["an entry", (schema) => z.array(schema), [value], [{}]],
    ["optional", (schema) => schema.optional(), undefined, {}],
    ["one of several", (schema) => z.union([z.string(), schema]), value, 7],
    [
      "one of several that are told apart by a member",
      (schema) => z.discriminatedUnion("kind", [schema, z.object({ kind: z.literal("b") })]),
      value,
      { kind: "c" },
    ],
    ["extended", (schema) => schema.extend({ more: z.int() }), { ...value, more: 1 }, value],
    ["described", (schema) => schema.meta({ description: "A sample" }), value, {}],
    ["the second step", (schema) => z.unknown().pipe(schema), value, {}],
  ])("stands for the schema as %s", (_case, build, right, wrong) => {
    const { schema } = setup();
    const plain = build(z.object({ kind: z.literal("a"), name: z.string().min(1) }));
    const built = build(schema);
    expect(built.parse(right)).toEqual(plain.parse(right));
    expect(built.safeParse(wrong).error).toEqual(plain.safeParse(wrong).error);
    expect(z.toJSONSchema(built)).toEqual(z.toJSONSchema(plain));
  });

  it("is of the kind of the schema", () => {
    const { schema } = setup();
    expect(schema).toBeInstanceOf(z.ZodObject);
    expect("shape" in schema).toBe(true);
    expect(Object.keys(schema.shape)).toEqual(["kind", "name"]);
  });
});
