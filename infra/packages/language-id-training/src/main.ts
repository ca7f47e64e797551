/** `npm run langid -- <verb>`: trains or evaluates one of the models. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";

const verbs: readonly (string | undefined)[] = [
  "train",
  "evaluate",
  "train-source",
  "evaluate-source",
  "train-order",
  "evaluate-order",
];
const [verb, ...args] = process.argv.slice(2);
if (verbs.includes(verb)) {
  const program = join(import.meta.dirname, `${verb}.ts`);
  process.exitCode = spawnSync(process.execPath, [program, ...args], { stdio: "inherit" }).status ?? 1;
} else {
  process.stdout.write(`Usage: npm run langid -- ${verbs.join(" | ")} <corpora>\n`);
  process.exitCode = verb === "--help" ? 0 : 1;
}
