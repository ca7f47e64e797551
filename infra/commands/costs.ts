/** `npm run costs`: prints the costs of requests on AWS as Markdown. `infra/handbook/costs.md` has the result. */
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { buildFunctions } from "../build.ts";
import { runCommandLine } from "../command-line.ts";
import { costTable } from "../costs/cost-table.ts";
import { readStageUse } from "../costs/stage-costs.ts";
import { deployedStage } from "../stages.ts";
import { synthesize } from "../synthesize.ts";

const usage = `Usage: npm run costs

Prints, as Markdown, what a million requests of each kind cost on AWS, and what a stage costs without requests, with its metrics,
and for a first deployment. It takes memory, alarms and metrics from the templates, and the prices from infra/costs.`;

const printCosts = async (folder: string): Promise<void> => {
  // These two settings affect no price.
  const stage = deployedStage("prod", {
    CHAT_BASE_URL: "https://models.example.com/v1",
    MAIL_FROM: "no-reply@example.com",
  });
  const { directory: bundles } = await buildFunctions({ outdir: join(folder, "build") });
  const { directory } = await synthesize({ stage, bundles, outdir: join(folder, "assembly") });
  const files = (await readdir(directory)).filter((file) => file.endsWith(".template.json"));
  const texts = await Promise.all(files.map((file) => readFile(join(directory, file), "utf8")));
  const templates = texts.map((text): unknown => JSON.parse(text));
  process.stdout.write(`${costTable(readStageUse(templates))}\n`);
};

await runCommandLine(usage, async (args) => {
  parseArgs({ args });
  const folder = await mkdtemp(join(tmpdir(), "language-ai-costs-"));
  try {
    await printCosts(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
