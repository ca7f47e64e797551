import { describe, expect, it } from "vitest";
import * as z from "zod";
import { endpoint } from "../../../shared/http/endpoint.ts";
import { defineOperation } from "../../../shared/http/operation.ts";
import {
  formBoolean,
  formFile,
  formNumber,
  optionalField,
  requiredFormFile,
  text,
} from "../../../shared/platform/validation/fields.ts";
import { exampleOperation } from "../../support/example-operation.ts";
import { formFile as chosenFile, encodeForm } from "../../support/multipart.ts";
import { send } from "../../support/send.ts";

const declare = <Schema extends z.ZodType>(encoding: "form" | "multipart", schema: Schema) =>
  defineOperation({
    ...exampleOperation,
    path: "/form",
    auth: "public",
    limit: "delivery",
    body: { encoding, schema },
    response: { status: 200, description: "It", schema: z.unknown() },
  });

const numbers = declare(
  "form",
  z.object({ name: z.string(), temperature: optionalField(formNumber().pipe(z.number().max(2))) }),
);
const file = declare("multipart", z.object({ audio: requiredFormFile() }));

const echo = endpoint(numbers, ({ body }) => body);
const size = endpoint(file, ({ body }) => ({ bytes: body.audio.content.length }));

const urlencoded = (fields: Record<string, string>) => ({
  body: new URLSearchParams(fields).toString(),
  headers: { "Content-Type": "application/x-www-form-urlencoded" },
});

describe("a form without files", () => {
  it("may come in either encoding", async () => {
    const fields = { name: "amina", temperature: "0.5" };
    const expected = { status: 200, body: { name: "amina", temperature: 0.5 } };
    expect(await send([echo], { path: "/form", ...urlencoded(fields) })).toMatchObject(expected);
    expect(await send([echo], { path: "/form", ...(await encodeForm(fields)) })).toMatchObject(expected);
  });

  it("that breaks off is refused", async () => {
    const { body, headers } = await encodeForm({ name: "amina" });
    expect(await send([echo], { path: "/form", headers, body: body.subarray(0, -8) })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["body"], type: "value_error" }] },
    });
  });

  it.each([
    ["warm", "float_parsing"],
    [" ", "float_parsing"],
    ["1e999", "float_parsing"],
    ["2.5", "less_than_equal"],
  ])("has no number %j", async (temperature, type) => {
    const response = await send([echo], { path: "/form", ...urlencoded({ name: "a", temperature }) });
    expect(response).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["body", "temperature"], type }] },
    });
  });

  it("may leave a number empty or away", async () => {
    expect(
      (await send([echo], { path: "/form", ...urlencoded({ name: "a", temperature: "" }) })).status,
    ).toBe(200);
    expect((await send([echo], { path: "/form", ...urlencoded({ name: "a" }) })).status).toBe(200);
  });
});

describe("a file that is required", () => {
  it("is taken with its bytes", async () => {
    const form = await encodeForm({ audio: chosenFile("abc") });
    expect(await send([size], { path: "/form", ...form })).toMatchObject({ status: 200, body: { bytes: 3 } });
  });

  it.each([
    ["is missing", { other: "x" }, "missing"],
    ["was not chosen", { audio: chosenFile("", "") }, "missing"],
    ["is empty text", { audio: "" }, "missing"],
    ["is text", { audio: "abc" }, "value_error"],
    ["comes twice", { audio: [chosenFile("a"), chosenFile("b")] }, "value_error"],
  ])("that %s: refused", async (_case, fields, type) => {
    expect(await send([size], { path: "/form", ...(await encodeForm(fields)) })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["body", "audio"], type }] },
    });
  });
});

describe("a boolean of a form", () => {
  it.each([
    [["true", "1", "yes", "on", "TRUE", "Yes"], true],
    [["false", "0", "no", "off", "False", "OFF"], false],
  ])("may be any of %j", (words, value) => {
    for (const word of words) expect(formBoolean().parse(word)).toBe(value);
  });

  it.each(["", "y", "2", "truth", " true"])("is not %j", (word) => {
    expect(formBoolean().safeParse(word).error?.issues).toMatchObject([
      {
        message: "Input should be a valid boolean, unable to interpret input",
        params: { type: "bool_parsing" },
      },
    ]);
  });
});

describe("a file of a form", () => {
  const content = Buffer.from("x");

  it("left empty counts as missing", () => {
    for (const unchosen of ["", undefined, { filename: "", content: Buffer.alloc(0) }]) {
      expect(formFile().parse(unchosen)).toBeUndefined();
      expect(requiredFormFile().safeParse(unchosen).error?.issues).toMatchObject([
        { params: { type: "missing" } },
      ]);
    }
  });

  it.each([
    { filename: "", content },
    { filename: "a.wav" },
    { content },
    "text",
    [{ filename: "a.wav", content }],
  ])("is one file with a name, and not %j", (value) => {
    expect(formFile().safeParse(value).error?.issues).toMatchObject([
      { message: "Value error, Expected one file with a file name", params: { type: "value_error" } },
    ]);
  });
});

describe("a text", () => {
  it("with half a character has that one problem, at any length", () => {
    expect(text().min(3).safeParse("\ud800").error?.issues).toHaveLength(1);
  });
});
