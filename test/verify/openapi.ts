import { randomUUID } from "node:crypto";
import { join } from "node:path";
import * as z from "zod";
import { projectDirectory } from "../../infra/bundling/bundle-options.ts";
import { withTemporaryDirectory } from "../infra/synthesized-service.ts";
import { openLocalAccounts } from "../support/local-accounts.ts";
import { runService } from "../support/run-service.ts";
import type { Part, Verdict } from "./run-parts.ts";
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

const account = z.object({ id: z.int() });
const accessToken = z.object({ access_token: z.string() });

/** The token of an account whose limits the run does not reach. */
const tokenFor = async (url: string, dataDirectory: string): Promise<string> => {
  const username = `verify-${randomUUID().slice(0, 12)}`;
  const password = `seven storks ${randomUUID()}`;
  const registered = await fetch(`${url}/auth/register`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ username, email: `${username}@example.com`, password }),
  });
  const { id } = account.parse(await registered.json());
  await (await openLocalAccounts(dataDirectory)).setAccountType(id, "Admin");
  const response = await fetch(`${url}/auth/token`, {
    method: "POST",
    body: new URLSearchParams({ username, password }),
  });
  return accessToken.parse(await response.json()).access_token;
};

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
  run: async () => {
    const program = await pythonTool("st");
    return withTemporaryDirectory(async (directory): Promise<Verdict> => {
      const service = await runService({
        PORT: "0",
        DATA_DIR: directory,
        LIMIT_ANONYMOUS_PER_MINUTE: "1000000",
        LIMIT_CREDENTIALS_PER_MINUTE: "1000000",
      });
      try {
        const token = await tokenFor(service.url, directory);
        const { code, output } = await runToEnd(
          program,
          [
            ...["--no-color", "run", document, "--url", service.url],
            ...["--phases", "examples,fuzzing", "--max-examples", "4", "--seed", seed, "--no-shrink"],
            ...["--checks", checks.join(","), "--header", `Authorization: Bearer ${token}`],
            ...["--generation-database", "none", "--continue-on-failure", "--warnings", "off"],
          ],
          // It keeps notes where it runs.
          {},
          directory,
        );
        const said = `${await pinnedVersion("schemathesis")}: ${/\d+ generated/.exec(output)?.[0] ?? "no requests"}`;
        if (code === 0) return { kind: "passed", said };
        const findings = findingsIn(output);
        return { kind: "failed", findings: findings.length > 0 ? findings : [output.slice(-1_000)] };
      } finally {
        await service.stop();
      }
    });
  },
};
