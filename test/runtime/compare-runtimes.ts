// Compares the runtime of the local Lambda service with the one AWS publishes: `npm run test:runtime`.

import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { readOptions } from "../../infra/commands/command-line.ts";
import { fetchRuntimeClient } from "./fetch-runtime-client.ts";
import { observeRuntime } from "./observe-runtime.ts";
import { scenarios } from "./scenarios.ts";

const pathOf = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const print = (line: string) => process.stdout.write(`${line}\n`);

async function compareRuntimes(folder: string, client: string): Promise<number> {
  await copyFile(pathOf("handlers.mjs"), join(folder, "handlers.mjs"));
  await writeFile(join(folder, "throwing-module.mjs"), 'throw new RangeError("while loading");');
  await writeFile(join(folder, "broken-module.mjs"), "export const handler = =>;");
  const local = [fileURLToPath(import.meta.resolve("@language-ai/aws-stand-ins/bootstrap"))];
  const published = ["--import", pathOf("replace-native-client.ts"), client];

  let differences = 0;
  for (const scenario of scenarios) {
    const [ours, theirs] = await Promise.all([
      observeRuntime(local, folder, scenario),
      observeRuntime(published, folder, scenario),
    ]);
    if (isDeepStrictEqual(ours, theirs)) {
      print(`same       ${scenario.title}: ${ours.sent.length} sent, then ${ours.outcome}`);
    } else {
      differences += 1;
      print(`DIFFERENT  ${scenario.title}`);
      print(`  ours:  ${JSON.stringify(ours)}`);
      print(`  AWS's: ${JSON.stringify(theirs)}`);
    }
  }
  return differences;
}

readOptions(
  `Usage: npm run test:runtime

Compares the local Lambda runtime with the one that AWS publishes. Exits with 1 when they differ, with 2 when AWS's cannot be
fetched.`,
  {},
);

const folder = await mkdtemp(join(tmpdir(), "compare-runtimes-"));
try {
  const client = await fetchRuntimeClient(folder);
  if (client === undefined) {
    process.stderr.write("AWS's runtime client cannot be fetched from the package registry.\n");
    process.exitCode = 2;
  } else {
    const differences = await compareRuntimes(folder, client);
    print(`${scenarios.length} scenarios, ${differences} differences`);
    process.exitCode = differences === 0 ? 0 : 1;
  }
} finally {
  await rm(folder, { recursive: true });
}
