import { join } from "node:path";
import { projectDirectory } from "../../infra/bundling/bundle-options.ts";
import { createAccount } from "../load/accounts.ts";
import { withLocalService } from "./local-service.ts";
import { type Part, verdictOf } from "./run-parts.ts";
import { pinnedVersion, pythonTool, runToEnd } from "./tools.ts";

const document = join(projectDirectory, "shared", "http", "openapi", "openapi.json");

/** The same requests are sent each time. */
const seed = "20261122";

const checks = [
  "not_a_server_error",
  "status_code_conformance",
  "content_type_conformance",
  "response_headers_conformance",
  "response_schema_conformance",
];

/** Its report names each operation under a line, and what was wrong below. */
const findingsIn = (output: string): string[] => {
  let operation = "";
  return output.split("\n").flatMap((line) => {
    operation = /^_+ (.+) _+$/.exec(line)?.[1] ?? operation;
    const found = /^- (ST\d+ .+)$/.exec(line)?.[1];
    return found ? [`${operation}: ${found}`] : [];
  });
};

/** Requests that another program generates from the OpenAPI document: every response must match the document. */
export const openapiPart: Part = {
  name: "schemathesis: the OpenAPI document and the local service",
  paths: ["shared/http", "functions"],
  run: async () => {
    const program = await pythonTool("st");
    const limits = { LIMIT_ANONYMOUS_PER_MINUTE: "1000000", LIMIT_CREDENTIALS_PER_MINUTE: "1000000" };
    return withLocalService(async ({ url, directory }) => {
      const { token } = await createAccount(url, directory);
      const { code, output } = await runToEnd(
        program,
        [
          ...["--no-color", "run", document, "--url", url],
          ...["--phases", "examples,fuzzing", "--max-examples", "4", "--seed", seed, "--no-shrink"],
          ...["--checks", checks.join(","), "--header", `Authorization: Bearer ${token}`],
          ...["--generation-database", "none", "--continue-on-failure", "--warnings", "off"],
        ],
        // It keeps notes where it runs.
        {},
        directory,
      );
      const said = `${await pinnedVersion("schemathesis")}: ${/\d+ generated/.exec(output)?.[0] ?? "no requests"}`;
      const found = findingsIn(output);
      return verdictOf(code !== 0 && found.length === 0 ? [output.slice(-1_000)] : found, said);
    }, limits);
  },
};
