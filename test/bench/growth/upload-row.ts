/** How the cost of a job's upload grows with its size: reading and planning it, as the service and the worker do. */
import { execFileSync } from "node:child_process";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { note } from "../compare/note.ts";
import { measuredIn, type Row } from "../compare/verdict.ts";
import { longFiles } from "../speech/long-files.ts";
import { measureSizes } from "./chat-rows.ts";
import type { GrowthPlan } from "./plan.ts";
import { describeCosts, differencesOf, exponentsOf } from "./slope.ts";

const probed = z.object({ cpuMilliseconds: z.number(), heldMegabytes: z.number() });
type Probed = z.infer<typeof probed>;

const script = join(import.meta.dirname, "../jobs/probe.ts");

const probe = (path: string, ...nodeArgs: string[]): Probed =>
  probed.parse(JSON.parse(execFileSync(process.execPath, [...nodeArgs, script, path], { encoding: "utf8" })));

const secondsPerMegabyte = 31;

/** Measures files of each size, in a process of its own for each. @param folder for the files. */
export const uploadRow = async (plan: GrowthPlan, folder: string): Promise<Row[]> => {
  note("Measuring: upload.");
  const paths = new Map<number, string>();
  const make = longFiles["wav"];
  if (!make) throw new Error("There is no maker of WAV files.");
  for (const megabytes of plan.megabytes) {
    const path = join(folder, `recording-${megabytes}`);
    await writeFile(path, await make(megabytes * secondsPerMegabyte, megabytes * 1_000_000));
    paths.set(megabytes, path);
  }
  const pathOf = (megabytes: number): string => paths.get(megabytes) ?? "";
  const rounds = Math.min(plan.rounds, 3);
  const cpu = await measureSizes(
    plan.megabytes,
    rounds,
    async (megabytes) => probe(pathOf(megabytes)).cpuMilliseconds,
  );
  const memory = await measureSizes(
    plan.megabytes,
    rounds,
    async (megabytes) => probe(pathOf(megabytes), "--expose-gc").heldMegabytes,
  );
  await Promise.all([...paths.values()].map((path) => rm(path)));
  return [
    {
      what: "upload for a job, MB: memory held, MB of difference",
      measured: measuredIn(differencesOf(memory)),
      bound: { must: 20 },
      figures: describeCosts(memory, "MB", 0),
    },
    {
      what: "upload for a job, MB: CPU, exponent",
      measured: measuredIn(exponentsOf(cpu)),
      bound: { must: 1.05 },
      figures: describeCosts(cpu, "ms", 0),
    },
  ];
};
