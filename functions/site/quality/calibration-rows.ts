import { findLanguage } from "../../../shared/platform/catalogue/languages.ts";
import type {
  CalibratedSignal,
  Calibration,
  CalibrationCheck,
} from "../../../shared/platform/catalogue/stage-catalogue.ts";

/** Fewer words or recordings of a language prove nothing. */
export const minCalibratedWords = 100;
export const minCalibratedRecordings = 10;

/** What is known about the confidence of a language. */
export interface CalibrationRow {
  readonly name: string;
  /** `null` when there were too few words, or what models report says nothing. */
  readonly signal: CalibratedSignal | null;
  readonly recordings: number;
  readonly isTooSmall: boolean;
}

/** The languages of a calibration by their names, each with the best signal that it has. */
export const calibrationRows = ({ languages }: Calibration): CalibrationRow[] =>
  Object.entries(languages)
    .map(([code, { recordings, words, segments }]) => ({
      name: findLanguage(code)?.name ?? code,
      signal: [words, segments].find(({ curve }) => curve !== null) ?? null,
      recordings,
      isTooSmall: recordings < minCalibratedRecordings || segments.words < minCalibratedWords,
    }))
    .toSorted((one, other) => one.name.localeCompare(other.name, "en"));

/** The checks of what is marked with this confidence or more, together. */
export const markedFrom = (
  from: number,
  { checks }: CalibratedSignal,
): Pick<CalibrationCheck, "count" | "right"> =>
  checks
    .filter((check) => check.from >= from)
    .reduce((sum, { count, right }) => ({ count: sum.count + count, right: sum.right + right }), {
      count: 0,
      right: 0,
    });
