/**
 * `npm run bench -- cold`: what each function costs before its first call. Loads every bundle in fresh processes, each
 * round in random order with an empty one among them. A ratio is the median of the rounds' ratios, so that other load
 * affects both sides. Compare the ratios, not the milliseconds. A start ends when the bundle is loaded, with its
 * first calls (for secrets and connections) sent to a stand-in on this machine without TLS.
 *
 * `--rounds 20` loads each one this many times (15); `--only chat,translate` selects some; `--against <folder>` adds the
 * functions of another build, such as `../before/.build/functions`. Fails when a ratio exceeds its bound.
 */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import * as z from "zod";
import { readOptions } from "../../infra/command-line.ts";
import { type BundleContents, readBundleContents } from "./cold/bundle-contents.ts";
import {
  type Bundle,
  measureFirstRequests,
  measureStorage,
  type Servers,
  withServers,
} from "./cold/first-request.ts";
import { measureFirstResponses, memorySizes } from "./cold/first-response.ts";
import {
  bundlesIn,
  measureStarts,
  medianStart,
  otherName,
  prepareBundles,
  type Starts,
  startRatios,
  withStandIn,
} from "./cold/starts.ts";
import { type Bound, describeBound, judge } from "./compare/verdict.ts";
import { findOthers } from "./quiet-machine.ts";
import { median } from "./statistics.ts";

/** The bounds on a start compared with an empty one, including its first calls. What S3 alone needs is loaded later. */
const bounds: Readonly<Record<string, Bound>> = {
  auth: { must: 5.4 },
  authorizer: { must: 2.2, stretch: 1.7 },
  chat: { must: 3, stretch: 2.5 },
  console: { must: 5.5 },
  docs: { must: 2.7 },
  "job-worker": { must: 5.4 },
  jobs: { must: 5.4 },
  language: { must: 2.5, stretch: 2.2 },
  legacy: { must: 4 },
  mcp: { must: 6 },
  messaging: { must: 5.4 },
  operators: { must: 5.5, stretch: 4.5 },
  site: { must: 3.5 },
  speech: { must: 4 },
  transcription: { must: 4 },
  translate: { must: 2.9, stretch: 2.5 },
  upload: { must: 3 },
  webhook: { must: 3 },
};

/** The bound on the first request with TLS to table and model, against one without. */
const firstRequestBound: Bound = { must: 1.5 };

const usage = `Usage: npm run bench -- cold [--rounds 15] [--only chat,speech] [--against FOLDER] [--once]

Measures how long each function takes to start and to send its first response. --against compares with the functions in the
folder of another build. --once only sees whether it works: it does one round, and judges no bound.`;

const options = readOptions(usage, {
  rounds: { type: "string", default: "15" },
  only: { type: "string" },
  against: { type: "string" },
  once: { type: "boolean", default: false },
});
const rounds = options.once ? 1 : z.coerce.number().int().min(1).parse(options.rounds);

const print = (line = ""): void => {
  process.stdout.write(`${line}\n`);
};

const kilobytes = (bytes: number): string => (bytes / 1_000).toFixed(0);

const readFiles = async ({ file }: Bundle, names: readonly string[]): Promise<Buffer[]> =>
  Promise.all(names.map((name) => readFile(join(dirname(file), name))));

const sum = (files: readonly Uint8Array[]): number => files.reduce((bytes, { length }) => bytes + length, 0);

const heads = [
  ["function", "bundle kB", "gzip kB", "loaded later kB", "import ms", "import CPU ms"],
  ["process start, x empty", "its CPU, x empty", "must (should)", "", "most of it"],
].flat();

/** The line of a function, and whether it exceeds its bound. */
const describeStart = async (bundle: Bundle, starts: Starts, contents: BundleContents | undefined) => {
  const { name } = bundle;
  const bound = bounds[name];
  const files = await readFiles(bundle, contents?.files ?? ["index.mjs"]);
  const time = median(startRatios(starts, name, "startMilliseconds"));
  const cpu = median(startRatios(starts, name, "startCpuMilliseconds"));
  // A busy machine lengthens the time, and V8's own threads the CPU: too much is what is so in both.
  const value = Math.min(time, cpu);
  const verdict = judge({ measured: { value, spread: [value, value] }, ...(bound ? { bound } : {}) });
  const cells = [
    name,
    kilobytes(sum(files)),
    kilobytes(sum(files.map((file) => gzipSync(file)))),
    kilobytes(sum(await readFiles(bundle, contents?.laterFiles ?? []))),
    medianStart(starts, name, "importMilliseconds").toFixed(1),
    medianStart(starts, name, "importCpuMilliseconds").toFixed(1),
    `${time.toFixed(2)}x`,
    `${cpu.toFixed(2)}x`,
    describeBound(bound),
    verdict,
    (contents?.parts ?? [])
      .slice(0, 4)
      .map(({ origin, bytes }) => `${origin} ${kilobytes(bytes)}`)
      .join(", "),
  ];
  const failure = `${name} starts in ${value.toFixed(2)}x of an empty function; at most ${bound?.must}x.`;
  return { line: `| ${cells.join(" | ")} |`, beyond: verdict === "FAILED" ? [failure] : [] };
};

const describePairs = (bundles: readonly Bundle[], starts: Starts): void => {
  print(`| start, to that of ${options.against} | time | CPU |\n| --- | --: | --: |`);
  for (const { name } of bundles) {
    const figures = (["startMilliseconds", "startCpuMilliseconds"] as const).map((figure) =>
      median(startRatios(starts, name, figure, otherName(name))).toFixed(3),
    );
    print(`| ${[name, ...figures].join(" | ")} |`);
  }
  print();
};

const describeStarts = async (bundles: readonly Bundle[], standIn: string, metafile: string) => {
  const others = options.against === undefined ? [] : bundlesIn(options.against, bundles);
  const starts = await measureStarts([...bundles, ...others], standIn, rounds);
  const contents = await readBundleContents(metafile);
  print(`| ${heads.join(" | ")} |`);
  print(`| ${heads.map((_, column) => (column > 0 && column < 8 ? "--:" : "---")).join(" | ")} |`);
  const beyond: string[] = [];
  for (const bundle of bundles) {
    const described = await describeStart(bundle, starts, contents.get(bundle.name));
    print(described.line);
    beyond.push(...described.beyond);
  }
  print(
    `\nMedians of ${rounds} processes each, in turn. A start lasts until the bundle is loaded and its first calls are`,
  );
  print(
    "sent to a stand-in without TLS; the bounds apply to the smaller of the two ratios to an empty function.\n",
  );
  if (others.length > 0) describePairs(bundles, starts);
  return beyond;
};

const describeFirstResponses = async (bundles: readonly Bundle[], servers: Servers): Promise<void> => {
  const measured = await measureFirstResponses(bundles, rounds, servers);
  if (!measured) print("First responses were left out: no share of a CPU.");
  if (!measured || measured.length === 0) return;
  const sizes = memorySizes.map((size) => `${size.toLocaleString("en")} MB, ms`);
  print(`| first response of a new environment, with TLS | ${sizes.join(" | ")} | the template's |`);
  print(`| --- | ${sizes.map(() => "--:").join(" | ")} | --: |`);
  for (const { name, milliseconds, memoryMegabytes } of measured) {
    const times = memorySizes.map((size) => milliseconds.get(size)?.toFixed(0) ?? "");
    print(`| ${[name, ...times, `${memoryMegabytes.toLocaleString("en")} MB`].join(" | ")} |`);
  }
  print();
};

const describeFirstRequests = async (bundles: readonly Bundle[], servers: Servers): Promise<string[]> => {
  const ratios = await measureFirstRequests(bundles, rounds, servers);
  if (!ratios) print("First requests were left out: no share of a CPU.");
  return [...(ratios ?? [])].flatMap(([name, value]) => {
    const verdict = judge({ measured: { value, spread: [value, value] }, bound: firstRequestBound });
    const line = `First request of ${name} with TLS, against one without: ${value.toFixed(2)}x (${describeBound(firstRequestBound)}).`;
    print(line);
    return verdict === "FAILED" ? [line] : [];
  });
};

const describeStorage = async (bundles: readonly Bundle[], standIn: string): Promise<void> => {
  const upload = bundles.find(({ name }) => name === "upload");
  if (!upload) return;
  const uses = await measureStorage(upload, rounds, standIn);
  if (!uses) return;
  print(`\n| upload, new environment, ${uses[0]?.share.toFixed(2)} of a CPU | first ms | second ms |`);
  print("| --- | --: | --: |");
  for (const { what, firstMilliseconds, secondMilliseconds } of uses) {
    print(`| ${what} | ${firstMilliseconds.toFixed(1)} | ${secondMilliseconds.toFixed(1)} |`);
  }
  print();
};

const others = options.once ? undefined : await findOthers();
if (others) print(`${others}\n`);
const folder = await mkdtemp(join(tmpdir(), "language-ai-cold-"));
try {
  await withStandIn(async (standIn) => {
    const bundles = await prepareBundles(folder, standIn, options.only?.split(","));
    const beyond = await describeStarts(bundles, standIn, join(folder, "build", "metafile.json"));
    await withServers(folder, async (servers) => {
      await describeFirstResponses(bundles, servers);
      beyond.push(...(await describeFirstRequests(bundles, servers)));
    });
    await describeStorage(bundles, standIn);
    if (beyond.length > 0 && !options.once) {
      process.stderr.write(`Beyond their bounds:\n${beyond.join("\n")}\n`);
      process.exitCode = 1;
    }
  });
} finally {
  await rm(folder, { recursive: true, force: true });
}
