import { describe, expect, it } from "vitest";
import * as z from "zod";
import { defineOperation } from "../../shared/http/operation.ts";
import { marker } from "../fuzz/junk.ts";
import { deadFunction, judge } from "../fuzz/oracle.ts";
import type { WireResponse } from "../support/wire.ts";

const numbers = z.object({
  number: z.int(),
  texts: z.array(z.object({ text: z.string() })).optional(),
  open: z.looseObject({}).optional(),
});
const operation = defineOperation({
  id: "example",
  method: "POST",
  path: "/example",
  summary: "An example",
  tag: "Service",
  auth: "public",
  response: { status: 200, description: "A number", schema: numbers },
  errors: [],
});

const headers = {
  "content-type": "application/json",
  "x-request-id": "1",
  "x-content-type-options": "nosniff",
};
const responseOf = (status: number, body: unknown, changed: WireResponse["headers"] = {}): WireResponse => ({
  status,
  headers: { ...headers, ...changed },
  body: Buffer.from(JSON.stringify(body)),
  milliseconds: 1,
});
const refusal = (message: string) => ({
  detail: message,
  error: { code: "bad_request", message, type: "invalid_request_error", param: null },
  request_id: "1",
});
const problems = (given: WireResponse) =>
  judge(operation, "POST", given, { token: "the-token", password: "the-password" });

describe("the fuzzer", () => {
  it("finds nothing wrong with declared responses", () => {
    expect(problems(responseOf(200, { number: 1 }))).toEqual([]);
    expect(problems(responseOf(400, refusal("No.")))).toEqual([]);
    expect(problems(responseOf(200, { number: 1, open: { anything: { at: "all" } } }))).toEqual([]);
  });

  it("takes nothing for a body where none may be, and a body for a fault", () => {
    const silent = {
      ...operation,
      response: { status: 204, description: "Done", schema: z.null() },
    } as const;
    const judged = (given: WireResponse) => judge(silent, "POST", given, { token: "t-1", password: "p-1" });
    expect(judged({ ...responseOf(204, null), body: Buffer.alloc(0) })).toEqual([]);
    expect(judged(responseOf(204, { done: true }))).toEqual(["a body where none may be"]);
  });

  it("accepts a page at a path that does not exist, unless it repeats what was sent", () => {
    const page = (status: number, text: string) => ({
      ...responseOf(status, null, { "content-type": "text/html; charset=utf-8" }),
      body: Buffer.from(text),
    });
    expect(problems(page(404, "<p>Page not found</p>"))).toEqual([]);
    expect(problems(page(404, `<p>${marker}</p>`))).toHaveLength(1);
    expect(problems(page(400, "<p>Bad request</p>"))).toEqual(["an error that is not JSON"]);
  });

  it("accepts that a link in a mail sends browsers to a page of the service, and nothing else", () => {
    const link = { ...operation, id: "showVerificationPage" };
    const redirect = (location: string) => ({
      ...responseOf(303, null, { location }),
      body: Buffer.alloc(0),
    });
    const judged = (of: typeof operation, given: WireResponse) =>
      judge(of, "GET", given, { token: "t-1", password: "p-1" });
    expect(judged(link, redirect("../console/verify-email?token=a"))).toEqual([]);
    expect(judged(link, redirect("https://elsewhere.example"))).toHaveLength(1);
    expect(judged(operation, redirect("../console/verify-email?token=a"))).toHaveLength(1);
  });

  it.each([
    ["a failure", responseOf(500, refusal("No."))],
    ["a failure behind the function", responseOf(502, refusal("No."))],
    ["a body that is not declared", responseOf(200, { number: "one" })],
    ["a member that is not declared", responseOf(200, { number: 1, password_hash: "$argon2id$" })],
    ["one deep inside", responseOf(200, { number: 1, texts: [{ text: "a" }, { text: "b", owner: 7 }] })],
    ["one in an error", responseOf(400, { ...refusal("No."), stack: "none" })],
    ["a status that is not declared", responseOf(201, { number: 1 })],
    ["a content type that is not declared", responseOf(200, { number: 1 }, { "content-type": "text/html" })],
    ["an error of another form", responseOf(400, { message: "No." })],
    ["a response without an id", responseOf(200, { number: 1 }, { "x-request-id": undefined })],
    [
      "a response that may be sniffed",
      responseOf(200, { number: 1 }, { "x-content-type-options": undefined }),
    ],
    ["a rejected value", responseOf(400, refusal(`No ${marker}.`))],
    ["a token", responseOf(400, refusal("No the-token."))],
    ["a password", responseOf(200, { number: 1, text: "the-password" })],
    ["a stack trace", responseOf(400, refusal("Error at handler (index.mjs:1:1)"))],
    ["a path", responseOf(400, refusal("ENOENT /var/task/index.mjs"))],
  ])("notices %s", (_case, given) => {
    expect(problems(given)).not.toEqual([]);
  });

  it.each([
    "RequestId: 1 Error: Runtime exited with error: signal: killed",
    "RequestId: 1 Error: Task timed out after 10.00 seconds",
  ])("notices a function that has died: %s", (line) => {
    expect(deadFunction.test(line)).toBe(true);
  });
});
