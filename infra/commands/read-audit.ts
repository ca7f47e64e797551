import * as z from "zod";

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
export type Audit =
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
  const answer: unknown = JSON.parse(printed);
  const found = report.safeParse(answer);
  if (!found.success) return { kind: "not_offered", reason: refusal.parse(answer).message };
  const packages = Object.entries(found.data.vulnerabilities).flatMap(([name, { severity, range, nodes }]) =>
    nodes.some((folder) => production.has(folder)) ? [`${name} ${range}: ${severity}`] : [],
  );
  return packages.length === 0 ? { kind: "clean" } : { kind: "vulnerable", packages };
};
