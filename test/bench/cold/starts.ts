/** Starts of functions, each in a fresh process, next to starts of an empty one. */
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { basename, dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { readAssembly } from "@language-ai/aws-stand-ins";
import * as z from "zod";
import { prepareAssembly } from "../../../infra/local/assembly.ts";
import { note } from "../compare/note.ts";
import { watchCores } from "../quiet-machine.ts";
import { median, shuffled } from "../statistics.ts";
import { awsVariables, type Bundle, respondToCall } from "./first-request.ts";

const run = promisify(execFile);
const loader = join(import.meta.dirname, "load-bundle.mjs");

const loaded = z.object({
  importMilliseconds: z.number(),
  importCpuMilliseconds: z.number(),
  startMilliseconds: z.number(),
  startCpuMilliseconds: z.number(),
});
type Loaded = z.infer<typeof loaded>;

const empty = "(empty)";

/** Builds the functions and an empty one. @param names of the functions that are returned; by default all. */
export const prepareBundles = async (
  folder: string,
  standIn: string,
  names?: readonly string[],
): Promise<Bundle[]> => {
  const assembly = await prepareAssembly(folder, { CHAT_BASE_URL: `${standIn}/v1`, PORT: "3000" });
  const { functions } = readAssembly(assembly, { queues: standIn, functionUrl: () => `${standIn}/` });
  const file = join(folder, "empty", "index.mjs");
  await mkdir(dirname(file));
  await writeFile(file, "export const handler = async () => undefined;\n");
  return [
    { name: empty, file, environment: {}, memoryMegabytes: 128 },
    ...functions
      .map(({ assetDirectory, environment, memoryMegabytes }) => ({
        name: basename(assetDirectory),
        file: join(assetDirectory, "index.mjs"),
        environment,
        memoryMegabytes,
      }))
      .filter(({ name }) => !names || names.includes(name))
      .toSorted((one, other) => one.name.localeCompare(other.name)),
  ];
};

/** The name of a function of another build. */
export const otherName = (name: string): string => `${name} of the other build`;

/** The same functions in the folder of another build, which need the same variables. */
export const bundlesIn = (folder: string, bundles: readonly Bundle[]): Bundle[] =>
  bundles.map((bundle) => ({
    ...bundle,
    name: otherName(bundle.name),
    file: bundle.name === empty ? bundle.file : join(resolve(folder), bundle.name, "index.mjs"),
  }));

/** Runs something with the address of a server that responds to every call of a function. */
export const withStandIn = async <Result>(use: (standIn: string) => Promise<Result>): Promise<Result> => {
  const server = createServer(respondToCall).listen(0, "localhost");
  await once(server, "listening");
  const { port } = z.object({ port: z.int() }).parse(server.address());
  try {
    return await use(`http://localhost:${port}`);
  } finally {
    server.close().closeAllConnections();
  }
};

const load = async ({ file, environment }: Bundle, standIn: string): Promise<Loaded> => {
  const { stdout } = await run(process.execPath, [loader, pathToFileURL(file).href], {
    env: { ...environment, ...awsVariables(standIn) },
  });
  return loaded.parse(JSON.parse(stdout));
};

/** By the function's name, one entry a round. */
export type Starts = ReadonlyMap<string, readonly Loaded[]>;

interface StartRound {
  readonly isClean: boolean;
  readonly starts: ReadonlyMap<string, Loaded>;
}

const measureRound = async (bundles: readonly Bundle[], standIn: string): Promise<StartRound> => {
  const isClean = watchCores();
  const starts = new Map<string, Loaded>();
  for (const bundle of shuffled(bundles)) starts.set(bundle.name, await load(bundle, standIn));
  return { isClean: isClean(), starts };
};

/**
 * Loads every bundle once a round, in random order. Rounds in which others used the cores are repeated, up to half as many again; when
 * too few are left without them, all count.
 */
export const measureStarts = async (
  bundles: readonly Bundle[],
  standIn: string,
  rounds: number,
): Promise<Starts> => {
  for (const bundle of bundles) await load(bundle, standIn);
  const measured: StartRound[] = [];
  const clean = () => measured.filter(({ isClean }) => isClean);
  while (clean().length < rounds && measured.length < Math.ceil(1.5 * rounds)) {
    measured.push(await measureRound(bundles, standIn));
  }
  const used = clean().length >= Math.ceil(rounds / 2) ? clean() : measured;
  if (clean().length < measured.length) {
    note(
      `Others used the cores in some rounds of starts: ${clean().length} of ${measured.length} were clean.`,
    );
  }
  return new Map(bundles.map(({ name }) => [name, used.flatMap(({ starts }) => starts.get(name) ?? [])]));
};

const valuesOf = (starts: Starts, name: string, figure: keyof Loaded): number[] =>
  (starts.get(name) ?? []).map((one) => one[figure]);

/** The median of a function's figure, in milliseconds. */
export const medianStart = (starts: Starts, name: string, figure: keyof Loaded): number =>
  median(valuesOf(starts, name, figure));

/** A function's figure as a multiple of another's, by default an empty one's, one entry a round. */
export const startRatios = (
  starts: Starts,
  name: string,
  figure: keyof Loaded,
  other: string = empty,
): number[] => {
  const others = valuesOf(starts, other, figure);
  return valuesOf(starts, name, figure).map((value, round) => value / (others[round] ?? Number.NaN));
};
