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

/** Starts a process that starts the service, and waits for a word of it. */
const startParent = async (word: "begun" | "ready"): Promise<ChildProcess> => {
  const script = join(import.meta.dirname, "service-parent.ts");
  const child = spawn(process.execPath, [script, directory], { stdio: ["ignore", "pipe", "inherit"] });
  parent = child;
  for await (const line of createInterface({ input: child.stdout })) if (line === word) break;
  return child;
};

describe("The service that a test or a measurement has started", () => {
  it.each([
    ["is starting", "begun", 1],
    ["is running its functions", "ready", 2],
  ] as const)(
    "is gone soon after the process that started it was killed, also while it %s",
    async (_state, word, min) => {
      const started = await startParent(word);
      await expect.poll(() => descendantsOf(started.pid).length).toBeGreaterThanOrEqual(min);
      const processIds = descendantsOf(started.pid);
      started.kill("SIGKILL");
      await once(started, "exit");
      await expect.poll(() => processIds.filter(isRunning), { timeout: 8_000 }).toEqual([]);
    },
    60_000,
  );
});
