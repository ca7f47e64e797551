import { median } from "../statistics.ts";

/** The limit of a figure; `stretch` is the next goal. */
export interface Bound {
  readonly must: number;
  readonly stretch?: number;
  /** By default a figure is at most its bound. A function that makes no call to the table checks no token, so `exactly`. */
  readonly kind?: "at least" | "exactly";
}

/** A figure that was measured several times in one run. */
export interface Measured {
  readonly value: number;
  /** The least and the largest of the rounds. */
  readonly spread: readonly [number, number];
}

/** The middle of the rounds, with its spread. */
export const measuredIn = (rounds: readonly number[]): Measured => ({
  value: median(rounds),
  spread: [Math.min(...rounds), Math.max(...rounds)],
});

/**
 * The ratio of one figure to another. Both are measured in each round, one right after the other, so that other load
 * affects both; the median of the rounds' ratios counts.
 */
export const ratioOf = (ours: readonly number[], theirs: readonly number[]): Measured =>
  measuredIn(ours.map((value, round) => value / (theirs[round] ?? Number.NaN)));

/** A line of the table. */
export interface Row {
  readonly what: string;
  /** `undefined` when it could not be measured. */
  readonly measured: Measured | undefined;
  readonly unit?: "ms" | "%";
  readonly bound?: Bound;
  /** Why there is no figure. */
  readonly remark?: string;
  /** The absolute figures behind it, for this machine. */
  readonly figures?: string;
}

/** The lines of a table, and the heads of its first columns if they are not those of chat. */
export interface Comparison {
  readonly rows: readonly Row[];
  readonly heads?: readonly [string, string];
}

/** The result of a line. */
export type Verdict = "met" | "stretch met" | "FAILED" | "not judged" | "";

/** A figure is judged as it is printed. */
const shown = (value: number): number => Number(value.toFixed(2));

/** Unlike a ratio, a time depends on this machine and its load: it counts when the rounds agree. */
const agreement = 1.5;

const agrees = ({ spread: [min, max] }: Measured): boolean => max <= agreement * min;

// Not a number is within nothing.
const isWithin = (value: number, limit: number, kind: Bound["kind"]): boolean =>
  (kind === "at least" || value <= limit) && (kind === undefined || value >= limit);

/** Judges a line. What could not be measured, or a time about which the rounds disagree, decides nothing. */
export const judge = ({ measured, bound, unit }: Pick<Row, "measured" | "bound" | "unit">): Verdict => {
  if (!bound) return "";
  if (!measured || (unit === "ms" && !agrees(measured))) return "not judged";
  const value = shown(measured.value);
  const { must, stretch, kind } = bound;
  if (!isWithin(value, must, kind)) return "FAILED";
  return stretch !== undefined && isWithin(value, stretch, kind) ? "stretch met" : "met";
};

const signs = { "at least": "≥ ", exactly: "" };

/** The limit and the next goal, for a table. */
export const describeBound = (bound: Bound | undefined): string => {
  if (!bound) return "";
  const { must, stretch, kind } = bound;
  return `${kind ? signs[kind] : "≤ "}${must}${stretch === undefined ? "" : ` (${stretch})`}`;
};

/** Which lines fail. */
export const failedRows = (rows: readonly Row[]): Row[] => rows.filter((row) => judge(row) === "FAILED");

const cellsOf = (row: Row): string[] => {
  const { what, measured, unit, bound, remark, figures } = row;
  const value = measured?.value ?? Number.NaN;
  const [min, max] = measured?.spread ?? [Number.NaN, Number.NaN];
  return [
    what,
    Number.isNaN(value) ? "–" : `${value.toFixed(2)}${unit ? ` ${unit}` : ""}`,
    describeBound(bound),
    judge(row),
    Number.isNaN(min) || min === max ? "" : `${min.toFixed(2)} to ${max.toFixed(2)}`,
    [figures, remark].filter((part) => part !== undefined).join("; "),
  ];
};

const chatHeads = ["chat, by the function's own address", "measured"] as const;

/**
 * The lines as a Markdown table, which is padded when a person reads it in a terminal.
 *
 * @param firstHeads the heads of the subjects and of their figures.
 */
export const writeTable = (
  rows: readonly Row[],
  isPadded: boolean,
  firstHeads: readonly [string, string] = chatHeads,
): string => {
  const heads = [...firstHeads, "must (should)", "", "rounds", "figures of this machine"];
  const cells = [heads, ...rows.map(cellsOf)];
  const widths = heads.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const isNumber = (column: number) => column === 1;
  const line = (row: readonly string[]) => {
    const padded = row.map((cell, column) => {
      if (!isPadded) return cell;
      return isNumber(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0);
    });
    return `| ${padded.join(" | ")} |`.replaceAll("|  |", "| |");
  };
  const rule = widths.map((width, column) => {
    const dashes = "-".repeat(isPadded ? Math.max(3, width) : 3);
    return isNumber(column) ? `${dashes.slice(1)}:` : dashes;
  });
  const [first = [], ...others] = cells;
  return [line(first), line(rule), ...others.map(line)].join("\n");
};
