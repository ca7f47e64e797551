/**
 * `npm run audit`: whether a package that goes into the functions has a known vulnerability, as far as the registry in use
 * can tell. Ends with 1 when one has.
 */
import { spawnSync } from "node:child_process";
import * as z from "zod";
import lockFile from "../../package-lock.json" with { type: "json" };
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

/** What is known about the packages that the functions are bundled from. */
type Audit =
  | { readonly kind: "clean" }
  | { readonly kind: "vulnerable"; readonly packages: readonly string[] }
  /** The registry keeps no advisories: a mirror, as a rule. Nothing was checked then. */
  | { readonly kind: "not_offered"; readonly reason: string };

/**
 * Reads what `npm audit --json` printed.
 *
 * @param production the folders of the packages that count, as `nodes` names them; the others are tools
 * @throws Error when it is neither a report nor the registry's refusal.
 */
export const readAudit = (printed: string, production: ReadonlySet<string>): Audit => {
  const parsed: unknown = JSON.parse(printed);
  const found = report.safeParse(parsed);
  if (!found.success) return { kind: "not_offered", reason: refusal.parse(parsed).message };
  const packages = Object.entries(found.data.vulnerabilities).flatMap(([name, { severity, range, nodes }]) =>
    nodes.some((folder) => production.has(folder)) ? [`${name} ${range}: ${severity}`] : [],
  );
  return packages.length === 0 ? { kind: "clean" } : { kind: "vulnerable", packages };
};

if (import.meta.main) {
  const { stdout } = spawnSync("npm", ["audit", "--omit=dev", "--json"], {
    encoding: "utf8",
    // Windows has npm as a script, which only a shell starts.
    shell: process.platform === "win32",
    timeout: 60_000,
  });
  const audit = readAudit(stdout, productionPackages(lockFile));
  if (audit.kind === "vulnerable") {
    process.stdout.write(`Known vulnerabilities:\n${audit.packages.join("\n")}\n`);
    process.exitCode = 1;
  } else {
    process.stdout.write(
      audit.kind === "clean"
        ? "No package of the functions has a known vulnerability.\n"
        : `The registry keeps no advisories (${audit.reason}): vulnerabilities were NOT checked.\n`,
    );
  }
}
