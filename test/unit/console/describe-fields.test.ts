import { describe, expect, it } from "vitest";
import { typeOf } from "../../../functions/site/docs/describe-fields.ts";

const oneOf = (count: number) =>
  typeOf({ type: "string", enum: Array.from({ length: count }, (_, index) => `v${index + 1}`) }, {});

describe("The values of a field in the documentation", () => {
  it("are listed up to a dozen", () => {
    expect(oneOf(1)).toBe("`v1`");
    expect(oneOf(12)).toMatch(/^one of `v1`, .*, `v12`$/);
    expect(oneOf(13)).toBe("string");
  });
});
