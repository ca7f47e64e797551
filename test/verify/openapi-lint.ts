import { join } from "node:path";
import * as z from "zod";
import { projectDirectory } from "../../infra/bundling/bundle-options.ts";
import { type Part, verdictOf } from "./run-parts.ts";
import { redocly, runToEnd } from "./tools.ts";

const document = join(projectDirectory, "shared", "http", "openapi", "openapi.json");
const configuration = join(import.meta.dirname, "redocly/redocly.yaml");

const report = z.object({
  problems: z.array(
    z.object({
      ruleId: z.string(),
      message: z.string(),
      location: z.array(z.object({ pointer: z.string().optional() })),
    }),
  ),
});

/** What another linter says about the OpenAPI document, of which it validates every example against its schema. */
export const openapiLintPart: Part = {
  name: "redocly: the OpenAPI document and its examples",
  paths: ["shared/http/openapi", "functions/docs", "test/verify/redocly"],
  run: async () => {
    const program = await redocly();
    const { output } = await runToEnd(process.execPath, [
      program,
      "lint",
      document,
      ...["--config", configuration, "--format", "json", "--max-problems", "1000"],
    ]);
    const { problems } = report.parse(
      JSON.parse(output.slice(output.indexOf("{"), output.lastIndexOf("}") + 1)),
    );
    const findings = problems.map(
      ({ ruleId, message, location: [position] }) =>
        `${ruleId} at ${position?.pointer ?? "the document"}: ${message}`,
    );
    return verdictOf(findings, "no rule is broken, and every example is valid");
  },
};
