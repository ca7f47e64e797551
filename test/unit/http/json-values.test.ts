import { describe, expect, it } from "vitest";
import * as z from "zod";
import { ValidationError } from "../../../shared/errors/app-error.ts";
import { hasTooManyValues, maximumValues } from "../../../shared/http/parse-body.ts";
import { validate } from "../../../shared/http/validation.ts";

describe("a JSON body", () => {
  it("may have 100,000 values and no more, wherever they are", () => {
    // The list counts as one value.
    expect(hasTooManyValues(Array(maximumValues - 1).fill(0))).toBe(false);
    expect(hasTooManyValues(Array(maximumValues).fill(0))).toBe(true);
    const lists = (count: number) => ({ items: Array.from({ length: count }, () => [null, ""]) });
    expect(hasTooManyValues(lists(33_332))).toBe(false);
    expect(hasTooManyValues(lists(33_333))).toBe(true);
  });

  it("may be as deep as it likes", () => {
    let deep: unknown = 1;
    for (let level = 0; level < 50_000; level += 1) deep = [deep];
    expect(hasTooManyValues(deep)).toBe(false);
  });

  it.each([null, 0, "text", false, {}, []])("may be %j", (body) => {
    expect(hasTooManyValues(body)).toBe(false);
  });
});

describe("validation", () => {
  it("tells the first 100 problems", () => {
    const refusal = (() => {
      try {
        validate(z.object({ numbers: z.array(z.number()) }), { numbers: Array(1_000).fill("") });
      } catch (error) {
        if (error instanceof ValidationError) return error;
      }
      throw new Error("The numbers were not refused.");
    })();
    expect(refusal.issues).toHaveLength(100);
    expect(refusal.issues.at(-1)).toMatchObject({ loc: ["numbers", 99], type: "float_type" });
  });
});
