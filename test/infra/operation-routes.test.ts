import { join } from "node:path";
import { App, Stack } from "aws-cdk-lib";
import { CfnMethod, IdentitySource, RequestAuthorizer, RestApi } from "aws-cdk-lib/aws-apigateway";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { addOperationRoutes } from "../../infra/constructs/operation-routes.ts";
import { ServiceFunction } from "../../infra/constructs/service-function.ts";
import { defineFunction, type FunctionDefinition } from "../../shared/http/function-definition.ts";
import { defineOperation } from "../../shared/http/operation.ts";
import { exampleStage, withTemporaryDirectory, writeStandInBundles } from "./synthesized-service.ts";

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

const route = (...definitions: FunctionDefinition[]) =>
  withTemporaryDirectory(async (directory) => {
    const bundles = await writeStandInBundles(join(directory, "bundles"));
    const stack = new Stack(new App({ outdir: directory, analyticsReporting: false }), "Stack");
    const functions = definitions.map(
      (definition, index) =>
        new ServiceFunction(stack, `Function${index}`, {
          definition,
          environment: {},
          bundles,
          stage: exampleStage("dev"),
        }),
    );
    const [first] = functions;
    if (!first) throw new Error("A test needs a function.");
    const identitySources = [IdentitySource.header("Authorization")];
    const authorizer = new RequestAuthorizer(stack, "Authorizer", { handler: first.lambda, identitySources });
    const api = new RestApi(stack, "Api");
    addOperationRoutes({ api, functions, authorizer, notFoundPage: "<h1>Page not found</h1>" });
    return api.methods.map(({ httpMethod, resource: { path }, node: { defaultChild } }) => ({
      route: `${httpMethod} ${path}`,
      authorization: defaultChild instanceof CfnMethod ? defaultChild.authorizationType : undefined,
    }));
  });

describe("Making routes from operations", { timeout: 30_000 }, () => {
  it("refuses a route that two functions declare", async () => {
    await expect(route(define({}), define({}))).rejects.toThrow("The route GET /sample is declared twice.");
  });

  it("refuses a buffered function that may take longer than API Gateway waits", async () => {
    await expect(route(define({ timeoutSeconds: 30 }))).rejects.toThrow(
      'The function "docs" may take 30 seconds, but API Gateway waits 29 for a buffered response.',
    );
    await expect(route(define({ timeoutSeconds: 30, transfer: "stream" }))).resolves.toBeDefined();
    await expect(route(define({ timeoutSeconds: 30, operations: [], pages: ["/"] }))).rejects.toThrow("29");
  });

  it("takes a path's methods from different functions", async () => {
    const post = defineOperation({ ...operation, id: "other", method: "POST" });
    const routes = await route(define({}), define({ operations: [post] }));
    expect(routes.map(({ route: name }) => name)).toEqual(
      expect.arrayContaining(["GET /sample", "POST /sample", "ANY /sample", "ANY /"]),
    );
  });

  it("sends every request for a page's path to its function, without an authorizer or another response", async () => {
    const routes = await route(
      define({}),
      define({ operations: [], pages: ["/", "/console", "/console/{proxy+}"] }),
    );
    const ofPages = routes.filter(({ route: name }) => !/sample|unknown/.test(name));
    expect(ofPages).toEqual(
      ["ANY /", "ANY /console", "ANY /console/{proxy+}"].map((name) => ({
        route: name,
        authorization: "NONE",
      })),
    );
  });

  it("refuses a page that is declared twice, or is an operation's path as well", async () => {
    const pages = define({ operations: [], pages: ["/console"] });
    await expect(route(pages, pages)).rejects.toThrow("The page /console is declared twice.");
    await expect(route(define({ pages: ["/sample"] }))).rejects.toThrow(
      "The path /sample is declared as an operation and as a page.",
    );
  });
});
