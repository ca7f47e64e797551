import { join } from "node:path";
import { App, Stack } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { ServiceApi } from "../../infra/constructs/service-api.ts";
import { ServiceFunction } from "../../infra/constructs/service-function.ts";
import { defineFunction } from "../../shared/http/function-definition.ts";
import { defineOperation } from "../../shared/http/operation.ts";
import { exampleStage, withTemporaryDirectory, writeStandInBundles } from "./synthesized-service.ts";

const sample = (path: `/${string}`) =>
  defineOperation({
    id: path.slice(1),
    method: "GET",
    path,
    summary: "A sample",
    tag: "Service",
    auth: "user",
    limit: "account",
    response: { status: 200, description: "A sample", schema: z.object({}) },
    errors: [],
  });

/** The API's stack with these paths, and another description of the function as a change that is not the API's. */
const synthesize = (paths: readonly `/${string}`[], description = "A sample") =>
  withTemporaryDirectory(async (directory) => {
    const bundles = await writeStandInBundles(join(directory, "bundles"));
    const stack = new Stack(new App({ outdir: directory, analyticsReporting: false }), "Stack");
    const stage = exampleStage("dev");
    const add = (name: string, operations: ReturnType<typeof sample>[]) => {
      const definition = defineFunction({
        name,
        description,
        operations,
        environment: {},
        memoryMegabytes: 256,
        timeoutSeconds: 29,
        transfer: "buffered",
      });
      return new ServiceFunction(stack, name, { definition, environment: {}, bundles, stage });
    };
    const authorizer = add("authorizer", []);
    const functions = [authorizer, add("docs", paths.map(sample))];
    new ServiceApi(stack, "Api", { stage, functions, authorizer, publicBaseUrl: "https://api.example.org" });
    return Template.fromStack(stack);
  });

const typesIn = (template: Template): unknown[] =>
  Object.values(template.toJSON()["Resources"])
    .map((resource) => z.object({ Type: z.string() }).parse(resource).Type)
    .sort();

const deploymentOf = (template: Template): string[] =>
  Object.keys(template.findResources("AWS::ApiGateway::Deployment"));

describe("The API", () => {
  it("has no more resources for another operation or path", async () => {
    const few = await synthesize(["/one"]);
    const more = await synthesize(["/one", "/two", "/three"]);
    expect(typesIn(more)).toEqual(typesIn(few));
    expect(typesIn(few).filter((type) => type === "AWS::Lambda::Permission")).toHaveLength(2);
  });

  it("is deployed again when its definition changes, and only then, so that no route is stale", async () => {
    const before = deploymentOf(await synthesize(["/one"]));
    expect(before).toHaveLength(1);
    expect(deploymentOf(await synthesize(["/one", "/two"]))).not.toEqual(before);
    expect(deploymentOf(await synthesize(["/one"], "Another description"))).toEqual(before);
  });

  it("is served from the newest deployment", async () => {
    const template = await synthesize(["/one"]);
    const [deployment = ""] = deploymentOf(template);
    const served = { Properties: { DeploymentId: { Ref: deployment } } };
    expect(Object.values(template.findResources("AWS::ApiGateway::Stage", served))).toHaveLength(1);
  });
});
