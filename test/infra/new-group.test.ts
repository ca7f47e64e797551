import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { App, Stack } from "aws-cdk-lib";
import { describe, expect, it } from "vitest";
import { buildOpenApi } from "../../functions/docs/build-openapi.ts";
import { functionDefinitions } from "../../functions/manifest.ts";
import { withoutAccess } from "../../functions/release-check/samples.ts";
import { plainBinding, tableBinding } from "../../infra/constructs/bindings.ts";
import { DataStack } from "../../infra/stacks/data-stack.ts";
import { FunctionGroup } from "../../infra/stacks/function-group.ts";
import { createBufferedHandler } from "../../shared/http/pipeline.ts";
import type { Row } from "../smoke/row.ts";
import {
  filesListedBelow,
  filesMovedTo,
  findingsWith,
  importersOf,
  withLineBehind,
} from "../support/added-files.ts";
import { problemsOf } from "../support/declared.ts";
import { lambdaContext } from "../support/lambda-event.ts";
import { eventPath, parseEvent } from "../support/sample-events.ts";
import { authorizedCaller, send } from "../support/send.ts";
import { unlimited } from "../support/unlimited.ts";
import { findProverbOperation, proverbsFunction } from "./proverbs/contract.ts";
import { proverbsEndpoints } from "./proverbs/endpoints.ts";
import { exampleStage, withTemporaryDirectory } from "./synthesized-service.ts";

const manifest = "functions/manifest.ts";
const stack = "infra/stacks/service-functions.ts";

/** What is added to the product: a folder, an entry in the manifest, and a line in the stack. */
const added = new Map([
  ...filesMovedTo("functions/proverbs", "test/infra/proverbs"),
  withLineBehind(
    manifest,
    "operatorsFunction }",
    'import { proverbsFunction } from "./proverbs/contract.ts";',
  ),
  withLineBehind(
    stack,
    "operatorsFunction }",
    'import { proverbsFunction } from "../../functions/proverbs/contract.ts";',
  ),
]);

const row: Row = { operation: findProverbOperation, request: () => ({ body: { word: "Amazzi" } }) };

class Proverbs extends FunctionGroup {
  readonly all = [
    this.add(proverbsFunction, {
      TABLE_NAME: tableBinding(this.props.data.table, "admit"),
      BUCKET_NAME: plainBinding("audio"),
    }),
  ];
}

/** The template of a stack with the function. */
const synthesizeProverbs = () =>
  withTemporaryDirectory(async (directory) => {
    const bundles = join(directory, "bundles");
    await mkdir(join(bundles, proverbsFunction.name), { recursive: true });
    await writeFile(join(bundles, proverbsFunction.name, "index.mjs"), "");
    const stage = exampleStage("dev");
    const app = new App({ outdir: join(directory, "assembly"), analyticsReporting: false });
    const data = new DataStack(app, "Data", { stage });
    const own = new Stack(app, "Own");
    new Proverbs(own, "Functions", { stage, data, bundles, publicBaseUrl: "https://api.example.org" });
    return JSON.stringify(app.synth().getStackByName("Own").template);
  });

describe("A new group of endpoints", () => {
  it("touches what CONTRIBUTING.md lists, and no rule of imports or names objects", () => {
    const touched = [...added.keys()].map((path) =>
      path.replace(/^functions\/proverbs\/.*/, "functions/<group>/"),
    );
    expect(new Set([...touched, "CHANGELOG.md"])).toEqual(
      new Set(filesListedBelow("What a new group touches")),
    );
    expect(findingsWith(added)).toEqual([]);
  });

  it("is documented, with an example, by its declaration", () => {
    const { paths } = buildOpenApi([...functionDefinitions, proverbsFunction]);
    const documented = JSON.stringify(paths?.[findProverbOperation.path]);
    expect(documented).toContain('"operationId":"findProverb"');
    expect(documented).toContain("Amazzi tegawunya.");
    expect(documented).toContain('"$ref":"#/components/schemas/ProverbRequest"');
  });

  it("responds to its row of the smoke tests, and knows where its sample event is", async () => {
    const { body } = await row.request();
    const { method, path, response } = row.operation;
    const sent = await send(proverbsEndpoints(), { method, path, body, authorizer: authorizedCaller });
    expect(sent.status).toBe(response.status);
    expect(problemsOf(response.schema, sent.body)).toEqual([]);
    expect(eventPath(proverbsFunction.name, row.operation)).toBe("events/proverbs/find-proverb.json");
  });

  it("passes the check of a release without an entry of its own", async () => {
    const { event, expected } = withoutAccess(findProverbOperation);
    const handler = createBufferedHandler(proverbsEndpoints(), { limiter: unlimited });
    const result = await handler(parseEvent(JSON.stringify(event)), lambdaContext());
    expect(expected.safeParse(result).error).toBeUndefined();
  });

  it("gets its variables, and the permissions that come with them", async () => {
    const template = await synthesizeProverbs();
    expect(template).toContain('"Description":"Proverbs that contain a word"');
    expect(template).toContain('"dynamodb:LeadingKeys"');
    expect(template).not.toMatch(/s3:|sqs:|secretsmanager:/);
  });

  it("is named by no other list of the product", () => {
    expect(importersOf("functions/upload/")).toEqual([manifest, stack]);
  });
});
