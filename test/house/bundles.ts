/**
 * Compares what each start loads, and each file that is loaded later, with its record, for `npm run check`: one that grows by more
 * than 3% fails. `--write` records what there is, and `--add` only what has no record, such as a new function. A feature that needs
 * more adds an entry to `raised` with what it is and its bytes, and leaves the rest.
 */
import { globSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as z from "zod";
import { setup as buildFunctions } from "../support/build-functions.ts";

const maxGrowth = 1.03;

const record = z.strictObject({
  bytes: z.int(),
  raised: z.array(z.strictObject({ for: z.string().min(20), bytes: z.int() })),
});
export type BundleRecord = z.output<typeof record>;

/** What is wrong with the bundles, by name, compared with their records. */
export const findGrown = (
  bytes: ReadonlyMap<string, number>,
  records: Readonly<Record<string, BundleRecord>>,
): string[] => {
  const gone = Object.keys(records).filter((name) => !bytes.has(name));
  const grown = [...bytes].flatMap(([name, size]) => {
    const found = records[name];
    if (!found) return [`The bundle of ${name} has no record.`];
    const recorded = found.raised.reduce((sum, raise) => sum + raise.bytes, found.bytes);
    if (size <= recorded * maxGrowth) return [];
    const percent = (100 * (size / recorded - 1)).toFixed(1);
    return [`The bundle of ${name} has ${size} bytes, ${percent}% more than its record of ${recorded}.`];
  });
  return [...grown, ...gone.map((name) => `There is a record of ${name}, and no bundle.`)];
};

if (import.meta.main) {
  const file = join(import.meta.dirname, "bundles.json");
  await buildFunctions();
  const folder = process.env["BUILT_FUNCTIONS"] ?? "";
  const sizes = new Map<string, number>();
  const ofStart = globSync("*/{index,chunk}.mjs", { cwd: folder }).map((path) => [dirname(path), path]);
  const ofLater = globSync(["*.mjs", "*/further-endpoints.mjs"], { cwd: folder }).map((path) => [
    path.replace(/\.mjs$/, ""),
    path,
  ]);
  for (const [name = "", path = ""] of [...ofStart, ...ofLater].toSorted()) {
    sizes.set(name, (sizes.get(name) ?? 0) + statSync(join(folder, path)).size);
  }
  const records = z.record(z.string(), record).parse(JSON.parse(readFileSync(file, "utf8")));
  const isAdding = process.argv.includes("--add");
  if (isAdding || process.argv.includes("--write")) {
    const measured = Array.from(sizes, ([name, bytes]) => [name, { bytes, raised: [] }]);
    const all = { ...Object.fromEntries(measured), ...(isAdding ? records : {}) };
    writeFileSync(file, `${JSON.stringify(all, undefined, 2)}\n`);
  } else {
    const problems = findGrown(sizes, records);
    for (const problem of problems) process.stderr.write(`${problem} (test/house/bundles.json)\n`);
    if (problems.length > 0) process.exitCode = 1;
  }
}
