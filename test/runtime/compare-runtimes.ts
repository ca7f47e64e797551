import { copyFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { withTemporaryDirectory } from "../infra/synthesized-service.ts";
import { type Part, ToolMissing, verdictOf } from "../verify/run-parts.ts";
import { fetchRuntimeClient } from "./fetch-runtime-client.ts";
import { observeRuntime } from "./observe-runtime.ts";
import { scenarios } from "./scenarios.ts";

const pathOf = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

/** What the two runtimes do otherwise. */
const findDifferences = async (folder: string, client: string): Promise<string[]> => {
  await copyFile(pathOf("handlers.mjs"), join(folder, "handlers.mjs"));
  await writeFile(join(folder, "throwing-module.mjs"), 'throw new RangeError("while loading");');
  await writeFile(join(folder, "broken-module.mjs"), "export const handler = =>;");
  const local = [fileURLToPath(import.meta.resolve("@language-ai/aws-stand-ins/bootstrap"))];
  const published = ["--import", pathOf("replace-native-client.ts"), client];
  const findings: string[] = [];
  for (const scenario of scenarios) {
    const [ours, theirs] = await Promise.all([
      observeRuntime(local, folder, scenario),
      observeRuntime(published, folder, scenario),
    ]);
    if (!isDeepStrictEqual(ours, theirs))
      findings.push(`${scenario.title}: ours ${JSON.stringify(ours)}, AWS's ${JSON.stringify(theirs)}`);
  }
  return findings;
};

/** Whether the local Lambda runtime behaves as the one that AWS publishes. */
export const runtimePart: Part = {
  name: "Lambda's runtime: ours and the one that AWS publishes",
  paths: ["infra/packages/aws-stand-ins/src/lambda", "test/runtime"],
  run: () =>
    withTemporaryDirectory(async (folder) => {
      const client = await fetchRuntimeClient(folder);
      if (client === undefined)
        throw new ToolMissing("AWS's runtime client cannot be fetched from the package registry");
      return verdictOf(await findDifferences(folder, client), `${scenarios.length} scenarios are the same`);
    }),
};
