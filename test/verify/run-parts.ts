import pLimit from "p-limit";
import * as z from "zod";

const verdict = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("passed"), said: z.string() }),
  z.object({ kind: z.literal("failed"), findings: z.array(z.string()).readonly() }),
  z.object({ kind: z.literal("left out"), reason: z.string() }),
]);

/** What a second opinion came to. */
export type Verdict = z.output<typeof verdict>;

/** One second opinion: another implementation that checks ours. */
export interface Part {
  readonly name: string;
  /** The files and folders that it judges. */
  readonly paths: readonly string[];
  /** It takes so long that it only runs when it is named. */
  readonly isLarge?: true;
  /** `--changed` leaves it to `npm run test:release`. */
  readonly isNightly?: true;
  /** @throws ToolMissing when what it needs cannot be had on this machine. */
  readonly run: () => Promise<Verdict>;
}

/** Something that a part needs is not on this machine and cannot be installed. */
export class ToolMissing extends Error {}

/** A verdict, and what it took. */
export interface Outcome {
  readonly verdict: Verdict;
  /** `undefined` where it cannot be measured. */
  readonly cpuSeconds: number | undefined;
  readonly wallSeconds: number;
}

const failed = (reason: string): Verdict => ({
  kind: "failed",
  findings: [`It could not be completed: ${reason}`],
});

/** Runs a part in this process. */
export const judgePart = async (part: Part): Promise<Verdict> => {
  try {
    return await part.run();
  } catch (error) {
    if (error instanceof ToolMissing) return { kind: "left out", reason: error.message };
    return failed(error instanceof Error ? error.message : String(error));
  }
};

/** Reads the verdict that the process of a part has printed as its last line. */
export const readVerdict = (printed: string): Verdict => {
  try {
    return verdict.parse(JSON.parse(printed.trim().split("\n").at(-1) ?? ""));
  } catch {
    return failed(printed.slice(-500));
  }
};

/** Which parts run, and why the others do not. */
export interface Choice {
  readonly chosen: readonly Part[];
  readonly leftOut: readonly { readonly name: string; readonly reason: string }[];
}

/**
 * Chooses the parts that have a piece of text in their names; without one, all but the large ones.
 *
 * @param isChanged whether any of these paths changed, so that the others can be left out; it returns `undefined` when that is unknown.
 */
export const chooseParts = (
  parts: readonly Part[],
  piece: string | undefined,
  isChanged?: (paths: readonly string[]) => boolean | undefined,
): Choice => {
  if (piece !== undefined) {
    const named = parts.filter(({ name }) => name.toLowerCase().includes(piece.toLowerCase()));
    return { chosen: named, leftOut: [] };
  }
  const reasonOf = ({ paths, isLarge, isNightly }: Part): string | undefined => {
    if (isLarge) return "it takes long, so it runs when --only names it";
    if (!isChanged) return undefined;
    if (isNightly) return "it installs another implementation, which npm run test:release does";
    return isChanged(paths) === false
      ? "nothing that it judges has changed since the last release"
      : undefined;
  };
  const reasons = new Map(parts.map((part) => [part, reasonOf(part)]));
  return {
    chosen: parts.filter((part) => reasons.get(part) === undefined),
    leftOut: parts.flatMap((part) => {
      const reason = reasons.get(part);
      return reason === undefined ? [] : [{ name: part.name, reason }];
    }),
  };
};

const linesOf = (found: Verdict): readonly string[] => {
  if (found.kind === "passed") return [found.said];
  if (found.kind === "left out") return [found.reason];
  return found.findings;
};

/** How many parts came to what. */
export type Summary = Readonly<Record<Verdict["kind"], number>>;

/**
 * Runs two opinions at a time and reports each result at once.
 *
 * @param run how a part is run
 * @param say gets a line for each verdict, and one for each further finding.
 */
export const runParts = async (
  parts: readonly Part[],
  run: (part: Part) => Promise<Outcome>,
  say: (line: string) => void,
): Promise<Summary> => {
  const summary = { passed: 0, failed: 0, "left out": 0 };
  const report = async (part: Part) => {
    const { verdict: found, cpuSeconds, wallSeconds } = await run(part);
    const [first = "", ...others] = linesOf(found);
    const word = found.kind === "failed" ? "FAILED" : found.kind;
    const used = `${cpuSeconds === undefined ? "?" : Math.round(cpuSeconds)} s of CPU, ${Math.round(wallSeconds)} s`;
    say(`${word.padEnd(8)}  ${part.name} (${used}): ${first}`);
    for (const line of others) say(`          ${line}`);
    summary[found.kind] += 1;
  };
  await pLimit(2).map(parts, report);
  return summary;
};

/**
 * Compares a tool's findings with the accepted ones: a new finding fails, and so does an accepted one that no longer
 * appears, so that no explanation outlives its finding.
 *
 * @param explained the reason by finding
 */
export const compareFindings = (
  found: readonly string[],
  explained: Readonly<Record<string, string>>,
  said: string,
): Verdict => {
  const reported = new Set(found);
  return verdictOf(
    [
      ...[...reported].filter((finding) => !(finding in explained)).map((finding) => `new: ${finding}`),
      ...Object.keys(explained)
        .filter((finding) => !reported.has(finding))
        .map((finding) => `no longer reported, so its explanation can go: ${finding}`),
    ],
    said,
  );
};

/** @param said what is reported when there are no findings. */
export const verdictOf = (findings: readonly string[], said: string): Verdict =>
  findings.length > 0 ? { kind: "failed", findings } : { kind: "passed", said };
