import { parseArgs } from "node:util";
import { runCommandLine, UsageError } from "../../infra/command-line.ts";
import { runMeasured } from "../suites/measured.ts";
import { differFromRelease } from "../suites/projects.ts";
import { setup as buildFunctions } from "../support/build-functions.ts";
import { parts } from "./parts.ts";
import { chooseParts, judgePart, type Outcome, type Part, readVerdict, runParts } from "./run-parts.ts";

const usage = `Usage: npm run verify
       npm run verify -- --changed
       npm run verify -- --only <part>

Asks other implementations about ours, says of each what it said, and fails when one contradicts. What cannot be installed here
is left out. --changed leaves out what installs other implementations, and what judges nothing that has changed since the last release,
where the history of git has it. --only takes the beginning, or any other piece, of a part's name:

${parts.map(({ name, isLarge }) => `  ${name}${isLarge ? " (only when it is named)" : ""}`).join("\n")}`;

const say = (text: string): boolean => process.stdout.write(`${text}\n`);

/** Each part has a process of its own, so that its CPU can be measured. */
const runAlone = async (part: Part): Promise<Outcome> => {
  const args = [import.meta.filename, "--verdict", part.name];
  const { printed, ...used } = await runMeasured(args, { output: "pipe" });
  return { verdict: readVerdict(printed), ...used };
};

await runCommandLine(usage, async (args) => {
  const text = { type: "string" } as const;
  const options = { only: text, changed: { type: "boolean" }, verdict: text } as const;
  const { only, changed, verdict } = parseArgs({ args, options }).values;
  const single = parts.find(({ name }) => name === verdict);
  if (single) return void say(JSON.stringify(await judgePart(single)));
  const { chosen, leftOut } = chooseParts(parts, only, changed ? differFromRelease : undefined);
  if (chosen.length + leftOut.length === 0) throw new UsageError(`No part is called ${only}.`);
  if (chosen.length > 0) await buildFunctions();
  const counts = await runParts(chosen, runAlone, say);
  for (const { name, reason } of leftOut) say(`not run   ${name}: ${reason}`);
  say(
    `${chosen.length} second opinions: ${counts.passed} agree, ${counts.failed} contradict, ${counts["left out"]} left out; ${leftOut.length} not run.`,
  );
  if (counts.failed > 0) process.exitCode = 1;
});
