import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isRunning } from "./lambda-fixture.ts";

const source = `
  const identify = () => console.log(JSON.stringify({ processId: process.pid }));
  export const idle = async () => identify();
  export const busy = async () => { identify(); await new Promise((resolve) => setTimeout(resolve, 60_000)); };`;

let directory: string;
let parent: ChildProcess | undefined;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "lambda-processes-"));
  await writeFile(join(directory, "index.mjs"), source);
});

afterEach(async () => {
  parent?.kill("SIGKILL");
  await rm(directory, { recursive: true });
});

/** Starts a process with a service in it, and returns the ids of the processes of its two functions. */
const startParent = async (): Promise<{ service: ChildProcess; processIds: number[] }> => {
  const script = join(import.meta.dirname, "lambda-parent.ts");
  const service = spawn(process.execPath, [script, directory], { stdio: ["ignore", "pipe", "inherit"] });
  parent = service;
  const processIds: number[] = [];
  for await (const line of createInterface({ input: service.stdout })) {
    processIds.push(JSON.parse(line).processId);
    if (processIds.length === 2) break;
  }
  return { service, processIds };
};

describe("The processes of functions", () => {
  it.each(["SIGKILL", "SIGTERM"] as const)(
    "end when the service's own process is ended by %s",
    async (signal) => {
      const { service, processIds } = await startParent();
      expect(processIds.map(isRunning)).toEqual([true, true]);
      service.kill(signal);
      await once(service, "exit");
      await expect.poll(() => processIds.map(isRunning), { timeout: 20_000 }).toEqual([false, false]);
    },
  );
});
