/** `npm run costs`: prints the costs of requests on AWS as Markdown. `infra/handbook/costs.md` has the result. */
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import * as z from "zod";
import { functionDefinitions } from "../../functions/manifest.ts";
import { buildFunctions } from "../build.ts";
import { costTable } from "../costs.ts";
import { pascalCase } from "../stacks/function-group.ts";
import { deployedStage } from "../stages.ts";
import { synthesize } from "../synthesize.ts";
import { runCommandLine } from "./command-line.ts";

const usage = `Usage: npm run costs

Prints, as Markdown, what a million requests of each kind cost on AWS, and what a stage costs without requests. It takes the
memory of the functions from the templates, and the prices from infra/costs.ts.`;

const template = z.object({
  Resources: z.record(z.string(), z.object({ Type: z.string(), Properties: z.unknown() })),
});
const lambda = z.object({ MemorySize: z.number(), Architectures: z.tuple([z.literal("arm64")]) });

/** Returns the memory of each function in a template, in megabytes. The prices are for arm64; another architecture is an error. */
const readMemory = (text: string): Map<string, number> => {
  const functions = Object.entries(template.parse(JSON.parse(text)).Resources).filter(
    ([, { Type }]) => Type === "AWS::Lambda::Function",
  );
  return new Map(
    functionDefinitions.flatMap(({ name }) => {
      const found = functions.find(([id]) => id.startsWith(`Functions${pascalCase(name)}Function`));
      return found ? [[name, lambda.parse(found[1].Properties).MemorySize] as const] : [];
    }),
  );
};

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
  const types = texts.flatMap((text) =>
    Object.values(template.parse(JSON.parse(text)).Resources).map(({ Type }) => Type),
  );
  const resources = new Map([...Map.groupBy(types, (type) => type)].map(([type, all]) => [type, all.length]));
  process.stdout.write(`${costTable(new Map(texts.flatMap((text) => [...readMemory(text)])), resources)}\n`);
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
