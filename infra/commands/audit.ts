/**
 * `npm run audit`: checks with the registry whether a package in the functions has a known vulnerability. Exits with 1 if one
 * has.
 */
import { spawnSync } from "node:child_process";
import * as z from "zod";
import lockFile from "../../package-lock.json" with { type: "json" };
import { runCommandLine } from "../command-line.ts";
import { productionPackages } from "./production-packages.ts";

const severities = z.object({
  info: z.int(),
  low: z.int(),
  moderate: z.int(),
  high: z.int(),
  critical: z.int(),
});
const report = z.object({
  vulnerabilities: z.record(
    z.string(),
    z.object({ severity: z.string(), range: z.string(), nodes: z.array(z.string()) }),
  ),
  metadata: z.object({ vulnerabilities: severities }),
});
const refusal = z.object({ message: z.string() });

/** The result for the packages in the functions' bundles. */
type Audit =
  | { readonly kind: "clean" }
  | { readonly kind: "vulnerable"; readonly packages: readonly string[] }
  /** The registry has no advisories, as most mirrors. Nothing was checked. */
  | { readonly kind: "not_offered"; readonly reason: string };

/**
 * Reads the output of `npm audit --json`.
 *
 * @param production the folders of the packages to check, as `nodes` names them; the others are tools
 * @throws Error when the output is neither a report nor a refusal of the registry.
 */
export const readAudit = (printed: string, production: ReadonlySet<string>): Audit => {
  const output: unknown = JSON.parse(printed);
  const found = report.safeParse(output);
  if (!found.success) return { kind: "not_offered", reason: refusal.parse(output).message };
  const packages = Object.entries(found.data.vulnerabilities).flatMap(([name, { severity, range, nodes }]) =>
    nodes.some((folder) => production.has(folder)) ? [`${name} ${range}: ${severity}`] : [],
  );
  return packages.length === 0 ? { kind: "clean" } : { kind: "vulnerable", packages };
};

const usage = `Usage: npm run audit

Asks the registry whether a package in the functions has a known vulnerability. Exits with 1 if one has.`;

const audit = async (): Promise<void> => {
  const { stdout } = spawnSync("npm", ["audit", "--omit=dev", "--json"], {
    encoding: "utf8",
    // Windows has npm as a script, which only a shell starts.
    shell: process.platform === "win32",
    timeout: 60_000,
  });
  const result = readAudit(stdout, productionPackages(lockFile));
  switch (result.kind) {
    case "vulnerable":
      process.stdout.write(`Known vulnerabilities:\n${result.packages.join("\n")}\n`);
      process.exitCode = 1;
      return;
    case "clean":
      process.stdout.write("No package of the functions has a known vulnerability.\n");
      return;
    case "not_offered":
      process.stdout.write(
        `The registry has no advisories (${result.reason}): vulnerabilities were NOT checked.\n`,
      );
  }
};

if (import.meta.main) await runCommandLine(usage, audit);
