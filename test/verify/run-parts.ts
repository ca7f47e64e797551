/** What a second opinion came to. */
export type Verdict =
  | { readonly kind: "passed"; readonly said: string }
  | { readonly kind: "failed"; readonly findings: readonly string[] }
  | { readonly kind: "left out"; readonly reason: string };

/** One second opinion: another implementation that checks ours. */
export interface Part {
  readonly name: string;
  /** @throws ToolMissing when what it needs cannot be had on this machine. */
  readonly run: () => Promise<Verdict>;
}

/** Something that a part needs is not on this machine and cannot be installed. */
export class ToolMissing extends Error {}

/** How many parts came to what. */
export interface PartsSummary {
  readonly passed: number;
  readonly failed: number;
  readonly leftOut: number;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const verdictOf = async (part: Part): Promise<Verdict> => {
  try {
    return await part.run();
  } catch (error) {
    if (error instanceof ToolMissing) return { kind: "left out", reason: error.message };
    return { kind: "failed", findings: [`It could not be completed: ${messageOf(error)}`] };
  }
};

const linesOf = (verdict: Verdict): readonly string[] => {
  if (verdict.kind === "passed") return [verdict.said];
  if (verdict.kind === "left out") return [verdict.reason];
  return verdict.findings;
};

/**
 * Runs one opinion after the other, so that the servers of one do not slow down those of another, and reports each
 * result.
 *
 *
 * @param say gets a line for each verdict, and one for each finding.
 */
export const runParts = async (
  parts: readonly Part[],
  say: (line: string) => void,
): Promise<PartsSummary> => {
  const summary = { passed: 0, failed: 0, leftOut: 0 };
  for (const part of parts) {
    const startedAt = performance.now();
    const verdict = await verdictOf(part);
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    const [first = "", ...others] = linesOf(verdict);
    const word = verdict.kind === "failed" ? "FAILED" : verdict.kind;
    say(`${word.padEnd(8)}  ${part.name} (${seconds} s): ${first}`);
    for (const line of others) say(`          ${line}`);
    if (verdict.kind === "passed") summary.passed += 1;
    else if (verdict.kind === "failed") summary.failed += 1;
    else summary.leftOut += 1;
  }
  return summary;
};

/**
 * Compares a tool's findings with the accepted ones: a new finding fails, and so does an accepted one that no longer
 * appears, so that no explanation outlives its finding.
 *
 *
 * @param explained the reason by finding
 */
export const compareFindings = (
  found: readonly string[],
  explained: Readonly<Record<string, string>>,
  said: string,
): Verdict => {
  const reported = new Set(found);
  const findings = [
    ...[...reported].filter((finding) => !(finding in explained)).map((finding) => `new: ${finding}`),
    ...Object.keys(explained)
      .filter((finding) => !reported.has(finding))
      .map((finding) => `no longer reported, so its explanation can go: ${finding}`),
  ];
  if (findings.length > 0) return { kind: "failed", findings };
  return { kind: "passed", said };
};
