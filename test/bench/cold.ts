/**
 * `npm run bench:cold`: what each function costs before its first call. Loads every bundle in fresh processes, each
 * round in random order with an empty one among them. A ratio is the median of the rounds' ratios, so that other load
 * affects both sides. Compare the ratios, not the milliseconds. A start ends when the bundle is loaded, with its
 * first calls (for secrets and connections) sent to a stand-in on this machine without TLS.
 *
 * `--rounds 20` loads each one this many times (15); `--only chat,translate` selects some. Fails when a ratio exceeds
 * its bound.
 */
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs, promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { readAssembly } from "@language-ai/aws-stand-ins";
import * as z from "zod";
import { prepareAssembly } from "../../infra/local/assembly.ts";
import { readBundleContents } from "./cold/bundle-contents.ts";
import { measureFirstRequests, respondToCall } from "./cold/first-request.ts";
import { median, shuffled } from "./statistics.ts";

const run = promisify(execFile);
const loader = join(import.meta.dirname, "cold", "load-bundle.mjs");

/** The bound on a start compared with an empty one, including its first calls. */
const maxStarts: Readonly<Record<string, number>> = {
  auth: 5.4,
  authorizer: 2.2,
  console: 6.9,
  docs: 2.7,
  jobs: 5.4,
  language: 2.2,
  chat: 2.5,
  translate: 2.5,
  legacy: 4,
  speech: 4,
  transcription: 4,
  upload: 4,
};

/** How long the first request may take with TLS to table and model, against one without. */
const maxFirstRequestMilliseconds = 1.5;

const loaded = z.object({
  importMilliseconds: z.number(),
  importCpuMilliseconds: z.number(),
  startMilliseconds: z.number(),
  startCpuMilliseconds: z.number(),
});
type Loaded = z.infer<typeof loaded>;

interface Bundle {
  readonly name: string;
  readonly file: string;
  readonly environment: Readonly<Record<string, string>>;
}

const load = async ({ file, environment }: Bundle, standIn: string): Promise<Loaded> => {
  const { stdout } = await run(process.execPath, [loader, pathToFileURL(file).href], {
    env: { ...environment, AWS_REGION: "us-east-1", AWS_ENDPOINT_URL: standIn, LOG_LEVEL: "SILENT" },
  });
  return loaded.parse(JSON.parse(stdout));
};

const { values: options } = parseArgs({
  options: { rounds: { type: "string", default: "15" }, only: { type: "string" } },
});
const rounds = z.coerce.number().int().min(1).parse(options.rounds);
const only = options.only?.split(",");

const server = createServer(respondToCall).listen(0, "localhost");
await once(server, "listening");
const { port } = z.object({ port: z.int() }).parse(server.address());
const standIn = `http://localhost:${port}`;
const folder = await mkdtemp(join(tmpdir(), "language-ai-cold-"));
try {
  const assembly = await prepareAssembly(folder, { CHAT_BASE_URL: `${standIn}/v1`, PORT: "3000" });
  const { functions } = readAssembly(assembly, { queues: standIn, functionUrl: () => `${standIn}/` });
  const emptyFile = join(folder, "empty", "index.mjs");
  await mkdir(join(folder, "empty"));
  await writeFile(emptyFile, "export const handler = async () => undefined;\n");
  const bundles: Bundle[] = [
    { name: "(empty)", file: emptyFile, environment: {} },
    ...functions
      .map(({ assetDirectory, environment }) => ({
        name: basename(assetDirectory),
        file: join(assetDirectory, "index.mjs"),
        environment,
      }))
      .filter(({ name }) => !only || only.includes(name))
      .toSorted((one, other) => one.name.localeCompare(other.name)),
  ];

  const measured = new Map<string, Loaded[]>(bundles.map(({ name }) => [name, []]));
  for (const bundle of bundles) await load(bundle, standIn);
  for (let round = 0; round < rounds; round += 1) {
    for (const bundle of shuffled(bundles)) measured.get(bundle.name)?.push(await load(bundle, standIn));
  }

  const contents = await readBundleContents(join(folder, "build", "metafile.json"));
  const medianOf = (name: string, figure: keyof Loaded): number =>
    median((measured.get(name) ?? []).map((one) => one[figure]));
  const againstEmpty = (name: string, figure: keyof Loaded): number =>
    median(
      (measured.get(name) ?? []).map(
        (one, round) => one[figure] / (measured.get("(empty)")?.[round]?.[figure] ?? Number.NaN),
      ),
    );
  const lines = [
    "| function | bundle kB | gzip kB | import ms | import CPU ms | process start, x empty | its CPU, x empty | most of it |",
    "| --- | --: | --: | --: | --: | --: | --: | --- |",
  ];
  for (const { name, file } of bundles) {
    const bytes = await readFile(file);
    const largest = (contents.get(name) ?? []).slice(0, 4);
    lines.push(
      [
        "",
        name,
        (bytes.length / 1_000).toFixed(0),
        (gzipSync(bytes).length / 1_000).toFixed(0),
        medianOf(name, "importMilliseconds").toFixed(1),
        medianOf(name, "importCpuMilliseconds").toFixed(1),
        `${againstEmpty(name, "startMilliseconds").toFixed(2)}x`,
        `${againstEmpty(name, "startCpuMilliseconds").toFixed(2)}x`,
        largest.map(({ origin, bytes: part }) => `${origin} ${(part / 1_000).toFixed(0)}`).join(", "),
        "",
      ]
        .join(" | ")
        .trim(),
    );
  }
  process.stdout.write(`${lines.join("\n")}\n\nMedians of ${rounds} processes each, in turn. A start lasts until the bundle is loaded and its first calls are
sent to a stand-in without TLS; the bounds apply to the smaller of the two ratios to an empty function.\n`);

  const beyond = bundles.flatMap(({ name }) => {
    const bound = maxStarts[name];
    // A busy machine lengthens the time, and V8's own threads the CPU: too much is what is so in both.
    const ratio = Math.min(
      againstEmpty(name, "startMilliseconds"),
      againstEmpty(name, "startCpuMilliseconds"),
    );
    return bound !== undefined && ratio > bound
      ? [`${name} starts in ${ratio.toFixed(2)}x of an empty function; at most ${bound}x.`]
      : [];
  });
  const firstRequests = await measureFirstRequests(bundles, rounds, folder);
  if (!firstRequests) process.stdout.write("First requests were left out: no share of a CPU.\n");
  for (const [name, ratio] of firstRequests ?? []) {
    const line = `First request of ${name} with TLS, against one without: ${ratio.toFixed(2)}x.`;
    process.stdout.write(`${line}\n`);
    if (ratio > maxFirstRequestMilliseconds) beyond.push(`${line} At most ${maxFirstRequestMilliseconds}x.`);
  }
  if (beyond.length > 0) {
    process.stderr.write(`Beyond their bounds:\n${beyond.join("\n")}\n`);
    process.exitCode = 1;
  }
} finally {
  server.close().closeAllConnections();
  await rm(folder, { recursive: true, force: true });
}
