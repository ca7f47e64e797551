import { describe, expect, it } from "vitest";
import * as z from "zod";
import { endpoint } from "../../../../shared/http/endpoint.ts";
import { defineOperation } from "../../../../shared/http/operation.ts";
import { text } from "../../../../shared/platform/validation/fields.ts";
import { exampleOperation } from "../../../support/example-operation.ts";
import { send } from "../../../support/send.ts";

const operation = defineOperation({
  ...exampleOperation,
  path: "/example",
  auth: "public",
  body: {
    encoding: "json",
    schema: z.object({
      text: text().min(3).max(5),
      count: z.int().min(1).max(9).optional(),
      ratio: z.number().gt(0).max(2).optional(),
      flag: z.boolean().optional(),
      mode: z.enum(["url", "stream", "both"]).optional(),
      items: z.array(z.string()).min(1).max(2).optional(),
      email: z.email({ error: "value is not a valid email address" }).optional(),
      day: z.iso.date().optional(),
      moment: z.iso.datetime({ offset: true }).optional(),
      platform: z.never({ error: "Extra inputs are not permitted" }).optional(),
    }),
  },
});

const post = (body: unknown, headers?: Record<string, string>) =>
  send([endpoint(operation, ({ body }) => body)], {
    path: "/example",
    body,
    ...(headers ? { headers } : {}),
  });

describe("a body that breaks its contract", () => {
  it.each([
    ["an absent field", {}, ["body", "text"], "missing", "Field required"],
    [
      "null where text belongs",
      { text: null },
      ["body", "text"],
      "string_type",
      "Input should be a valid string",
    ],
    [
      "a number where text belongs",
      { text: 7 },
      ["body", "text"],
      "string_type",
      "Input should be a valid string",
    ],
    [
      "a text too short",
      { text: "ab" },
      ["body", "text"],
      "string_too_short",
      "String should have at least 3 characters",
    ],
    [
      "a text too long",
      { text: "abcdef" },
      ["body", "text"],
      "string_too_long",
      "String should have at most 5 characters",
    ],
    [
      "two emoji where three characters are required",
      { text: "😀😀" },
      ["body", "text"],
      "string_too_short",
      "String should have at least 3 characters",
    ],
    [
      "half a character",
      { text: "abc\ud800" },
      ["body", "text"],
      "string_unicode",
      "Input should be a valid string, unable to parse raw data as a unicode string",
    ],
    [
      "a word for an integer",
      { text: "abc", count: "x" },
      ["body", "count"],
      "int_parsing",
      "Input should be a valid integer, unable to parse string as an integer",
    ],
    [
      "a number as text for an integer",
      { text: "abc", count: "5" },
      ["body", "count"],
      "int_type",
      "Input should be a valid integer",
    ],
    [
      "a list for an integer",
      { text: "abc", count: [] },
      ["body", "count"],
      "int_type",
      "Input should be a valid integer",
    ],
    [
      "a word for a number",
      { text: "abc", ratio: "warm" },
      ["body", "ratio"],
      "float_parsing",
      "Input should be a valid number, unable to parse string as a number",
    ],
    [
      "blanks for a number",
      { text: "abc", ratio: " " },
      ["body", "ratio"],
      "float_parsing",
      "Input should be a valid number, unable to parse string as a number",
    ],
    [
      "a number as text",
      { text: "abc", ratio: "1e0" },
      ["body", "ratio"],
      "float_type",
      "Input should be a valid number",
    ],
    [
      "a fraction for an integer",
      { text: "abc", count: 1.5 },
      ["body", "count"],
      "int_from_float",
      "Input should be a valid integer, got a number with a fractional part",
    ],
    [
      "an integer too small",
      { text: "abc", count: 0 },
      ["body", "count"],
      "greater_than_equal",
      "Input should be greater than or equal to 1",
    ],
    [
      "a bound that is excluded",
      { text: "abc", ratio: 0 },
      ["body", "ratio"],
      "greater_than",
      "Input should be greater than 0",
    ],
    [
      "a number too large",
      { text: "abc", ratio: 3 },
      ["body", "ratio"],
      "less_than_equal",
      "Input should be less than or equal to 2",
    ],
    [
      "a word for a boolean",
      { text: "abc", flag: "x" },
      ["body", "flag"],
      "bool_parsing",
      "Input should be a valid boolean, unable to interpret input",
    ],
    [
      "a boolean as text",
      { text: "abc", flag: "Yes" },
      ["body", "flag"],
      "bool_type",
      "Input should be a valid boolean",
    ],
    [
      "a value outside an enumeration",
      { text: "abc", mode: "x" },
      ["body", "mode"],
      "enum",
      "Input should be 'url', 'stream' or 'both'",
    ],
    [
      "an empty list",
      { text: "abc", items: [] },
      ["body", "items"],
      "too_short",
      "List should have at least 1 item after validation, not 0",
    ],
    [
      "a list too long",
      { text: "abc", items: ["a", "b", "c"] },
      ["body", "items"],
      "too_long",
      "List should have at most 2 items after validation, not 3",
    ],
    [
      "a wrong list item",
      { text: "abc", items: [7] },
      ["body", "items", 0],
      "string_type",
      "Input should be a valid string",
    ],
    [
      "a bad address",
      { text: "abc", email: "x" },
      ["body", "email"],
      "value_error",
      "value is not a valid email address",
    ],
    [
      "an invalid day",
      { text: "abc", day: "2026-02-30" },
      ["body", "day"],
      "date_parsing",
      "Input should be a valid date in the format YYYY-MM-DD",
    ],
    [
      "a time without its zone",
      { text: "abc", moment: "2026-02-28T12:00:00" },
      ["body", "moment"],
      "datetime_parsing",
      "Input should be a valid datetime with a time zone, such as 2026-12-31T23:59:59Z",
    ],
    [
      "a list instead of an object",
      [],
      ["body"],
      "model_attributes_type",
      "Input should be a valid dictionary or object to extract fields from",
    ],
    ["null instead of an object", "null", ["body"], "missing", "Field required"],
    ["broken JSON", '{"text": ', ["body", 9], "json_invalid", "JSON decode error"],
  ])("names %s", async (_case, body, loc, type, msg) => {
    const response = await post(body, { "Content-Type": "application/json" });
    expect(response.status).toBe(422);
    expect(response.body.detail).toEqual([{ loc, type, msg }]);
  });

  it("counts characters as people do: an emoji, or a letter of Adlam, is one", async () => {
    for (const value of ["😀😀😀", "😀😀😀😀😀", "𞤀𞤁𞤂𞤃𞤄"]) {
      expect(
        (await send([endpoint(operation, () => ({}))], { path: "/example", body: { text: value } })).status,
      ).toBe(200);
    }
    const tooMany = await send([endpoint(operation, () => ({}))], {
      path: "/example",
      body: { text: "😀".repeat(6) },
    });
    expect(tooMany.body.detail).toMatchObject([{ type: "string_too_long" }]);
  });

  it("says that the body is missing when there is none", async () => {
    const response = await post(undefined);
    expect(response.body.detail).toEqual([{ loc: ["body"], type: "missing", msg: "Field required" }]);
  });

  it("requires JSON when another content type was sent", async () => {
    const response = await post('{"text":"abc"}', { "Content-Type": "text/plain" });
    expect(response.status).toBe(422);
    expect(response.body.detail[0]).toMatchObject({ loc: ["body"], type: "model_attributes_type" });
  });

  it("refuses keys that could change the prototype of objects", async () => {
    const response = await post('{"text":"abc","__proto__":{"admin":true}}', {
      "Content-Type": "application/json",
    });
    expect(response.status).toBe(422);
  });

  it("never repeats the rejected value", async () => {
    const response = await post({ text: 7, email: "my-secret-value" });
    expect(JSON.stringify(response.body)).not.toContain("my-secret-value");
  });

  it("says the same to the OpenAI SDKs", async () => {
    const response = await post({});
    expect(response.body.error).toEqual({
      code: "validation_failed",
      type: "invalid_request_error",
      message: "body.text: Field required",
      param: "text",
    });
  });

  it("names an element of a list by its path", async () => {
    const response = await post({ text: "abc", items: [7] });
    expect(response.body.error.param).toBe("items[0]");
  });
});

describe("a body that keeps its contract", () => {
  it("reaches the use case without undeclared fields", async () => {
    const response = await post({ text: "abc", count: 2, unknown: true });
    expect(response).toMatchObject({ status: 200, body: { text: "abc", count: 2 } });
    expect(response.body).not.toHaveProperty("unknown");
  });
});
