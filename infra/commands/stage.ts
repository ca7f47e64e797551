/** `npm run stage -- prod`: prints a stage's settings and the source of each. */
import { parseArgs } from "node:util";
import { runCommandLine, UsageError } from "../command-line.ts";
import { listText } from "../model-settings.ts";
import { explainStage, type SettingWithSource } from "../stages.ts";

const usage = `Usage: npm run stage -- <name>

Prints every setting of a deployed stage with the source of its value: a variable of the environment, the stage's file in
infra/stages, another setting, or the default. Fails like a deployment when a setting is missing or invalid.`;

const printed = (value: SettingWithSource["value"]): string => {
  if (Array.isArray(value)) return listText(value);
  const text = typeof value === "object" ? Object.entries(value).map((entry) => entry.join("=")) : value;
  return String(text ?? "") || "-";
};

await runCommandLine(usage, async (args) => {
  const { positionals } = parseArgs({ args, allowPositionals: true });
  const [name] = positionals;
  if (!name || positionals.length > 1) throw new UsageError("Name one stage, such as prod.");
  const settings = explainStage(name, process.env).map((setting) => ({
    ...setting,
    value: printed(setting.value),
  }));
  const widthOf = (column: "name" | "value"): number =>
    settings.reduce((widest, setting) => Math.max(widest, setting[column].length), 0);
  const [names, values] = [widthOf("name"), widthOf("value")];
  const lines = settings.map(
    ({ name, value, source, note }) =>
      `${name.padEnd(names)}  ${value.padEnd(values)}  ${source}${note ? ` (${note})` : ""}`,
  );
  process.stdout.write(`${lines.join("\n")}\n`);
});
