import { describe, expect, it } from "vitest";
import * as z from "zod";
import { definePaths } from "../../infra/constructs/operation-routes.ts";
import { defineFunction, type FunctionDefinition } from "../../shared/http/function-definition.ts";
import { defineOperation } from "../../shared/http/operation.ts";

const operation = defineOperation({
  id: "sample",
  method: "GET",
  path: "/sample",
  summary: "A sample",
  tag: "Service",
  auth: "public",
  response: { status: 200, description: "A sample", schema: z.object({}) },
  errors: [],
});

const define = (changes: Partial<FunctionDefinition>) =>
  defineFunction({
    name: "docs",
    description: "A sample",
    operations: [operation],
    environment: {},
    memoryMegabytes: 256,
    timeoutSeconds: 29,
    transfer: "buffered",
    ...changes,
  });

const paths = (...functions: FunctionDefinition[]) =>
  definePaths({ functions, uriOf: ({ name }) => name, notFoundPage: "<h1>Page not found</h1>" });

const anyMethod = "x-amazon-apigateway-any-method";

describe("Making routes from operations", () => {
  it("refuses a route that two functions declare", () => {
    expect(() => paths(define({}), define({}))).toThrow("The route GET /sample is declared twice.");
  });

  it("refuses a buffered function that may take longer than API Gateway waits", () => {
    expect(() => paths(define({ timeoutSeconds: 30 }))).toThrow(
      'The function "docs" may take 30 seconds, but API Gateway waits 29 for a buffered response.',
    );
    expect(paths(define({ timeoutSeconds: 30, transfer: "stream" }))).toHaveProperty(["/sample", "get"]);
    expect(() => paths(define({ timeoutSeconds: 30, operations: [], pages: ["/"] }))).toThrow("29");
  });

  it("takes a path's methods from different functions", () => {
    const post = defineOperation({ ...operation, id: "other", method: "POST" });
    const defined = paths(define({}), define({ operations: [post] }));
    expect(Object.keys(defined)).toEqual([
      "/",
      "/{unknown+}",
      "/v1/{unknown+}",
      "/deepl/{unknown+}",
      "/libretranslate/{unknown+}",
      "/sample",
    ]);
    expect(Object.keys(defined["/sample"] ?? {})).toEqual(["get", "head", "post", anyMethod]);
  });

  it("sends every request for a page's path to its function, without an authorizer or another response", () => {
    const pages = ["/", "/console", "/console/{proxy+}"] as const;
    const defined = paths(define({}), define({ name: "console", operations: [], pages }));
    for (const page of pages) {
      expect(Object.keys(defined[page] ?? {})).toEqual([anyMethod]);
      expect(defined[page]?.[anyMethod]).toMatchObject({
        security: [],
        "x-amazon-apigateway-integration": { type: "aws_proxy", uri: "console" },
      });
    }
  });

  it("refuses a page that is declared twice, or is an operation's path as well", () => {
    const pages = define({ operations: [], pages: ["/console"] });
    expect(() => paths(pages, pages)).toThrow("The page /console is declared twice.");
    expect(() => paths(define({ pages: ["/sample"] }))).toThrow(
      "The path /sample is declared as an operation and as a page.",
    );
  });
});
