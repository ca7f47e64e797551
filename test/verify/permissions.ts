import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { type AccessRequest, type Role, readAssembly } from "@language-ai/aws-stand-ins";
import fc from "fast-check";
import * as z from "zod";
import { localStage } from "../../infra/stages.ts";
import { synthesize } from "../../infra/synthesize.ts";
import { withTemporaryDirectory } from "../infra/synthesized-service.ts";
import { isNeededFor, type Permission, permissionsOf } from "../support/access/permissions.ts";
import { setup as buildFunctions } from "../support/build-functions.ts";
import { type Part, verdictOf } from "./run-parts.ts";

const projectDirectory = join(import.meta.dirname, "../..");

/** How many permissions are taken away. */
const drawn = Number(process.env["PERMISSIONS_DRAWN"] ?? 40);

/** How many files may be tried for one permission, the shortest first. */
const maxFiles = 8;

/** What no test can need: nothing here keeps logs and traces. */
const isJudged = ({ action }: Permission): boolean => !/^(?:logs|xray):/.test(action);

const nameOf = ({ role, action, resource, value }: Permission): string =>
  [role, action, resource, value].filter((part) => part !== undefined).join(" ");

/**
 * Permissions that no conformance test needs, by a part of their names, with the reason why they stay.
 */
const explained: Readonly<Record<string, string>> = {
  "answers/*":
    "Responses beyond 290 kB, which the sample models never send; test/integration/idempotency.test.ts has them.",
  "s3:AbortMultipartUpload arn:aws:s3:::audiobucket3176805c/speech":
    "A stream that breaks off after 5 MB; test/integration/object-store.test.ts has it.",
  "s3:AbortMultipartUpload arn:aws:s3:::audiobucket3176805c/transcriptions":
    "A recording that cannot be stored whole; test/integration/object-store.test.ts has it.",
  "functionsuploadrole210c4655 dynamodb:DeleteItem":
    "An account that is deleted while it gets a link; test/integration/uploads.test.ts has it.",
  "s3:ListBucket arn:aws:s3:::audiobucket3176805c jobs/0/*":
    "A voice note whose transcript has expired; without it S3 says 403 and not 404.",
  "sqs:ChangeMessageVisibility arn:aws:sqs:us-east-1:000000000000:messagesqueue":
    "A reply that fails and is tried again; test/integration/messaging has it.",
  "sqs:DeleteMessage arn:aws:sqs:us-east-1:000000000000:messagesdeadletters":
    "Lambda deletes what the function handled. A message gets there after an hour of attempts.",
  "sqs:DeleteMessage arn:aws:sqs:us-east-1:000000000000:callbacksqueue":
    "Lambda deletes a callback that was delivered. In the tests of the whole service no receiver responds.",
  "s3:DeleteObject arn:aws:s3:::audiobucket3176805c/uploads/messaging/*":
    "A long voice note of the assistant; test/integration/messaging/long-voice-notes.slow.test.ts has it.",
};

/** Tests that call the whole service, as it runs on one machine. */
const folders = ["test/conformance", "test/integration/local"];

/** Runs some of these tests. */
const runTests = async (variables: Record<string, string>, ...args: string[]): Promise<number | null> => {
  const child = spawn("vitest", ["run", "--no-file-parallelism", ...args], {
    cwd: projectDirectory,
    env: { ...process.env, ...variables },
    stdio: "ignore",
  });
  const [code] = await once(child, "close");
  return z.number().nullable().parse(code);
};

const report = z.object({
  testResults: z.array(z.object({ name: z.string(), startTime: z.number(), endTime: z.number() })),
});

const recorded = z.object({
  at: z.number(),
  role: z.string(),
  request: z.custom<AccessRequest>(),
  decision: z.string(),
});

/** The requests of each role that a test file has caused. Those of a queue may come while the next file runs. */
const recordCalls = async (folder: string) => {
  const [log, results] = [join(folder, "calls"), join(folder, "results.json")];
  await runTests({ ACCESS_LOG: log }, "--reporter=json", `--outputFile=${results}`, ...folders);
  const calls = (await readFile(log, "utf8"))
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => recorded.parse(JSON.parse(line)));
  const files = report.parse(JSON.parse(await readFile(results, "utf8"))).testResults;
  return files
    .toSorted((one, other) => one.endTime - one.startTime - (other.endTime - other.startTime))
    .map(({ name, startTime, endTime }) => ({
      file: relative(projectDirectory, name),
      calls: calls.filter(({ at, decision }) => at >= startTime && at <= endTime && decision === "allowed"),
    }));
};

const readRoles = async (folder: string): Promise<readonly Role[]> => {
  await buildFunctions();
  const stage = localStage({ CHAT_BASE_URL: "http://127.0.0.1:1/v1" });
  return readAssembly(
    await synthesize({
      stage,
      outdir: join(folder, "assembly"),
      bundles: process.env["BUILT_FUNCTIONS"] ?? "",
    }),
  ).roles;
};

/** The files with calls that a role may not make without the permission, the shortest first. */
const filesFor = (
  role: Role,
  permission: Permission,
  files: Awaited<ReturnType<typeof recordCalls>>,
): string[] =>
  files
    .filter(({ calls }) =>
      calls.some(
        (call) =>
          call.role === role.name &&
          call.request.action === permission.action &&
          isNeededFor(role, permission, call.request),
      ),
    )
    .map(({ file }) => file);

interface Use {
  readonly permission: Permission;
  readonly files: readonly string[];
}

const usesOf = async (folder: string): Promise<Use[]> => {
  const roles = await readRoles(folder);
  const files = await recordCalls(folder);
  return roles.flatMap((role) =>
    permissionsOf(role)
      .filter(isJudged)
      .map((permission) => ({ permission, files: filesFor(role, permission, files) })),
  );
};

/** Whether a test fails without the permission. */
const isMissed = async ({ permission, files }: Use): Promise<boolean> => {
  for (const file of files.slice(0, maxFiles)) {
    if ((await runTests({ TAKEN_PERMISSION: JSON.stringify(permission) }, "--bail=1", file)) !== 0)
      return true;
  }
  return false;
};

/** Takes permissions away from roles, one at a time, and expects a conformance test to fail for each. */
export const permissionsPart: Part = {
  name: "permissions: each one that is taken away is missed",
  paths: ["infra/stacks", "infra/constructs"],
  isLarge: true,
  run: async () => {
    return withTemporaryDirectory(async (folder) => {
      const seed = Number(process.env["PERMISSIONS_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
      const uses = await usesOf(folder);
      const [needed, others] = [
        uses.filter(({ files }) => files.length > 0),
        uses.filter(({ files }) => files.length === 0),
      ];
      const findings = others
        .map(({ permission }) => nameOf(permission))
        .filter((name) => !Object.keys(explained).some((part) => name.includes(part)))
        .map((name) => `needed by no test: ${name}`);
      const draw = fc.shuffledSubarray(needed, { minLength: drawn, maxLength: drawn });
      for (const use of fc.sample(draw, { seed, numRuns: 1 }).flat()) {
        if (!(await isMissed(use))) findings.push(`not missed: ${nameOf(use.permission)}, ${use.files[0]}`);
      }
      const said = `${drawn} of ${uses.length} permissions, drawn by PERMISSIONS_SEED=${seed}`;
      return verdictOf(findings.length > 0 ? [said, ...findings] : [], said);
    });
  },
};
