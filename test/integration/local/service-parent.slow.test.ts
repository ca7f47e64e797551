import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

let directory: string;
let parent: ChildProcess | undefined;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "service-parent-"));
});
afterEach(async () => {
  parent?.kill("SIGKILL");
  await rm(directory, { recursive: true, force: true });
});

/** The ids of all processes that this one has started, and that those have. */
const descendantsOf = (processId: number | undefined): number[] => {
  const table = execFileSync("ps", ["-eo", "pid=,ppid="], { encoding: "utf8" })
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number));
  const children = table.flatMap(([id, parentId]) =>
    id !== undefined && parentId === processId ? [id] : [],
  );
  return children.flatMap((id) => [id, ...descendantsOf(id)]);
};

const isRunning = (processId: number): boolean => {
  try {
    return process.kill(processId, 0);
  } catch {
    return false;
  }
};

/** Starts a process that starts the service, and waits until that responds. */
const startParent = async (): Promise<ChildProcess> => {
  const script = join(import.meta.dirname, "service-parent.ts");
  const child = spawn(process.execPath, [script, directory], { stdio: ["ignore", "pipe", "inherit"] });
  parent = child;
  for await (const line of createInterface({ input: child.stdout })) if (line === "ready") break;
  return child;
};

describe("The service that a test or a measurement has started", () => {
  it("is gone soon after the process that started it was killed, with its functions", async () => {
    const started = await startParent();
    const processIds = descendantsOf(started.pid);
    expect(processIds.length).toBeGreaterThanOrEqual(2);
    started.kill("SIGKILL");
    await once(started, "exit");
    await expect.poll(() => processIds.filter(isRunning), { timeout: 30_000 }).toEqual([]);
  });
});
