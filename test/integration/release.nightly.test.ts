import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { DynamoDBClient, ListTablesCommand } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { localCredentials, localRegion, startDynamoDb } from "@language-ai/aws-stand-ins";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { projectDirectory } from "../../infra/bundling/bundle-options.ts";
import { kindOfItem } from "../../shared/platform/storage/stored-kinds.ts";
import { storedKinds } from "../../shared/wiring/stored-kinds.ts";
import { linkPackages } from "../verify/upgrade/release-folder.ts";
import { chooseFirstPort } from "../verify/upgrade/run-build.ts";

const execute = promisify(execFile);

let folder: string;
let repository: string;
let port: number;

/** As in a terminal: with nothing that the tests have built. */
const environment = () => ({
  PATH: `${join(projectDirectory, "node_modules/.bin")}:${process.env["PATH"]}`,
  HOME: process.env["HOME"],
  DATA_DIR: join(folder, "data"),
  PORT: String(port),
});

const git = (...args: string[]) =>
  execute("git", ["-c", "user.name=Test", "-c", "user.email=test@example.org", ...args], {
    cwd: repository,
    env: environment(),
  });

const commitAll = async (subject: string): Promise<string> => {
  await git("add", "--all");
  await git("commit", "--quiet", "--message", subject);
  return (await git("rev-parse", "HEAD")).stdout.trim();
};

/** Copies this work tree, with changes that are not committed, into a repository of its own. */
const copyWorkTree = async (): Promise<void> => {
  const list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const { stdout } = await execute("git", list, { cwd: projectDirectory, maxBuffer: 16_000_000 });
  for (const file of stdout.split("\0")) {
    const source = join(projectDirectory, file);
    const isFile = file !== "" && (await stat(source).catch(() => undefined))?.isFile();
    if (isFile) await cp(source, join(repository, file));
  }
  await linkPackages(repository);
};

const running = new Set<ChildProcess>();

/** Runs the command as a person does, in a process group of its own. */
const release = async (...args: string[]): Promise<{ code: unknown; output: string }> => {
  const options = { cwd: repository, env: environment(), detached: true };
  const child = spawn("npm", ["run", "release", "--", "local", ...args], options);
  running.add(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (piece: string) => {
      output += piece;
    });
  }
  const [code]: unknown[] = await once(child, "close");
  running.delete(child);
  return { code, output };
};

/** Everything in the table and the bucket, while no service runs. */
const readStored = async () => {
  const server = await startDynamoDb({ dataDirectory: join(folder, "data", "dynamodb") });
  const client = new DynamoDBClient({
    endpoint: server.endpoint,
    region: localRegion,
    credentials: localCredentials,
  });
  try {
    const { TableNames: [TableName] = [] } = await client.send(new ListTablesCommand({}));
    const { Items = [] } = await DynamoDBDocumentClient.from(client).send(new ScanCommand({ TableName }));
    const bodies = join(folder, "data", "s3", "bodies");
    const objects = await readdir(bodies, { recursive: true });
    const sizes = await Promise.all(objects.map(async (name) => (await stat(join(bodies, name))).size));
    // The list of erased accounts consists of names of empty objects.
    return { items: Items, objects: objects.filter((_, index) => sizes[index] !== 0) };
  } finally {
    client.destroy();
    await server.close();
  }
};

/** What the deletion of the accounts of a run leaves: the last numbers, what expires, and recordings that no transcription needs. */
const mayRemain = ({ PK, SK, expires_at: expiry, ...rest }: Record<string, unknown>): boolean => {
  const kind = kindOfItem({ PK: String(PK), SK: String(SK) }, storedKinds.items);
  if (kind === undefined) return false;
  const { id, about, lasts, erased } = kind;
  if (id === "legacy S3") return Object.keys(rest).length === 0;
  if (erased.by !== "none" || about === "person") return false;
  return "until" in lasts ? about === "service" : typeof expiry === "number";
};

const expectNothingLeft = async (): Promise<void> => {
  const { items, objects } = await readStored();
  const left = items.filter((item) => !mayRemain(item));
  expect(left).toEqual([]);
  expect(objects).toEqual([]);
  // Neither preflights nor wrong methods count by address: a run sends them to more than sixty paths.
  const counted = items.filter(({ PK }) => PK.startsWith("LIMIT#ADDRESS#"));
  for (const { requests } of counted) expect(requests).toBeLessThanOrEqual(10);
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "language-ai-released-"));
  repository = join(folder, "repository");
  port = await chooseFirstPort();
  await execute("git", ["init", "--quiet", repository]);
  await copyWorkTree();
});
afterAll(async () => {
  // Only when a test has failed: npm does not pass on a signal to what it has started.
  for (const { pid } of running) if (pid !== undefined) process.kill(-pid, "SIGKILL");
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

describe("A release to the local stage at the limits of a deployment", () => {
  let released: string;

  it("passes its smoke tests, is tagged, and leaves nothing behind", async () => {
    released = await commitAll("Release this work tree");
    const { code, output } = await release();
    expect(code, output).toBe(0);
    expect((await git("rev-parse", "released/local")).stdout.trim()).toBe(released);
    await expectNothingLeft();
  });

  it("goes back to the one before on the same data when an operation is broken", async () => {
    const broken = join(repository, "functions/language/endpoints.ts");
    const text = await readFile(broken, "utf8");
    const changed = text.replace("return identified;", 'throw new Error("broken on purpose");');
    expect(changed).not.toBe(text);
    await writeFile(broken, changed);
    await commitAll("Break an operation");

    const { code, output } = await release();
    expect(code, output).toBe(1);
    expect(output).toMatch(/FAIL .*POST \/tasks\/language_id/);
    expect(output).toMatch(/^The smoke tests failed; the previous release is deployed again\.$/m);
    expect((await git("rev-parse", "released/local")).stdout.trim()).toBe(released);
    expect((await git("worktree", "list")).stdout.trim().split("\n")).toHaveLength(1);
    await expectNothingLeft();
  });

  it("goes back on demand to the release before, which the tag of the next one has remembered", async () => {
    expect((await release("--back")).output).toContain("There is no tag released/local-before");
    // As after a second release, hours ago.
    await git("tag", "--force", "released/local-before", released);
    await git("tag", "--force", "released/local");
    const { code, output } = await release("--back");
    expect(code, output).toBe(0);
    expect((await git("rev-parse", "released/local")).stdout.trim()).toBe(released);
    await expectNothingLeft();
    expect((await release("--back")).output).toContain(
      `The release before, ${released}, is deployed already.`,
    );
  });
});
