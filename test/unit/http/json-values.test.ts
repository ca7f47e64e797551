import { afterEach, describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { endpoint } from "../../../shared/http/endpoint.ts";
import { defineOperation } from "../../../shared/http/operation.ts";
import { hasTooManyValues, maxValues, parseJsonBody } from "../../../shared/http/parse-json.ts";
import { ValidationError } from "../../../shared/platform/errors/app-error.ts";
import { validate } from "../../../shared/platform/validation/validation.ts";
import { send } from "../../support/send.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

const refusalOf = (text: string): ValidationError => {
  try {
    parseJsonBody(text);
  } catch (error) {
    if (error instanceof ValidationError) return error;
  }
  throw new Error("The text was not refused.");
};

const echo = endpoint(
  defineOperation({
    id: "echo",
    method: "POST",
    path: "/echo",
    summary: "Give back what was sent",
    tag: "Service",
    auth: "public",
    limit: "delivery",
    body: { encoding: "json", schema: z.unknown() },
    response: { status: 200, description: "What was sent", schema: z.object({ received: z.unknown() }) },
    errors: [],
  }),
  ({ body }) => ({ received: body }),
);

const sendJson = (body: string) =>
  send([echo], { method: "POST", path: "/echo", body, headers: { "Content-Type": "application/json" } });

describe("a JSON body", () => {
  it("may have 20,000 values and no more, wherever they are", () => {
    const zeros = (count: number) => JSON.stringify(Array(count).fill(0));
    // The first zero is counted with its list.
    expect(hasTooManyValues(zeros(maxValues - 1))).toBe(false);
    expect(hasTooManyValues(zeros(maxValues))).toBe(true);
    const lists = (count: number) => JSON.stringify({ items: Array(count).fill([null, ""]) });
    expect(hasTooManyValues(lists(6_666))).toBe(false);
    expect(hasTooManyValues(lists(6_667))).toBe(true);
    expect(refusalOf(zeros(maxValues)).issues).toEqual([
      { loc: ["body"], msg: "Value error, the body has more than 20000 values", type: "value_error" },
    ]);
  });

  it("is counted before it is parsed", () => {
    const parse = vi.spyOn(JSON, "parse");
    for (const text of [`[${"1,".repeat(maxValues)}`, "[".repeat(1_000_000), '{"a":'.repeat(maxValues)]) {
      expect(refusalOf(text).issues).toMatchObject([{ type: "value_error" }]);
    }
    expect(parse).not.toHaveBeenCalled();
  });

  it("is parsed without a function that is called for every value", () => {
    const parse = vi.spyOn(JSON, "parse");
    expect(parseJsonBody('{"text":"a"}')).toEqual({ text: "a" });
    expect(parse).toHaveBeenCalledExactlyOnceWith('{"text":"a"}');
  });

  it("is given to middy's parser, which calls a function for every value, only if it may hold a forbidden key", async () => {
    const parse = vi.spyOn(JSON, "parse");
    const callsWithFunction = () => parse.mock.calls.filter(([, reviver]) => reviver !== undefined).length;
    await sendJson('{"text":"a"}');
    expect(callsWithFunction()).toBe(0);
    for (const text of ["__proto__", "constructor", String.raw`\u005f`]) {
      const before = callsWithFunction();
      await sendJson(`{"text":"${text}"}`);
      expect(callsWithFunction(), text).toBe(before + 1);
    }
  });

  it("may have as much punctuation in its texts as it likes", () => {
    const value = { text: '\\",[{'.repeat(maxValues), more: "\\" };
    expect(parseJsonBody(JSON.stringify(value))).toEqual(value);
  });

  it("may be as deep as it is long", () => {
    const deep = "[".repeat(19_000) + "]".repeat(19_000);
    expect(parseJsonBody(`{"deep":${deep}}`)).toHaveProperty("deep");
  });

  it.each([null, 0, "text", false, {}, []])("may be %j", (body) => {
    expect(parseJsonBody(JSON.stringify(body))).toEqual(body);
  });

  it.each([
    '{"__proto__":1}',
    '{"a":[{"__proto__":{}}]}',
    String.raw`{"\u005f_proto__":1}`,
    '{"constructor":{"prototype":{}}}',
    String.raw`{"c\u006Fnstructor":{"prototype":{}}}`,
    `{"constructor":${"[".repeat(19_000)}${"]".repeat(19_000)}}`,
  ])("may not have a key that would change other objects: %s", async (text) => {
    const { status, body } = await sendJson(text);
    expect(status).toBe(422);
    expect(body.detail).toEqual([
      { loc: ["body"], msg: "Value error, a key is not allowed", type: "value_error" },
    ]);
  });

  it.each(['{"text":"__proto__"}', '{"constructor":"a"}', '{"constructor":{"a":1}}'])(
    "may speak of such keys: %s",
    async (text) => {
      expect(await sendJson(text)).toMatchObject({ status: 200, body: { received: JSON.parse(text) } });
    },
  );

  it.each([
    ["", 0],
    ['{"text": ', 9],
    ['{"a":1,}', 7],
    ["[1 2]", 3],
  ])("that breaks off or is malformed has the position of its fault: %j", (text, position) => {
    expect(refusalOf(text).issues).toMatchObject([{ loc: ["body", position], type: "json_invalid" }]);
  });
});

describe("validation", () => {
  it("reports the first 100 problems", () => {
    const refusal = (() => {
      try {
        validate(z.object({ numbers: z.array(z.number()) }), { numbers: Array(1_000).fill("") });
      } catch (error) {
        if (error instanceof ValidationError) return error;
      }
      throw new Error("The numbers were not refused.");
    })();
    expect(refusal.issues).toHaveLength(100);
    expect(refusal.issues.at(-1)).toMatchObject({ loc: ["numbers", 99], type: "float_parsing" });
  });
});
