import { type BoundPage, page } from "../../../shared/pages/server/page.ts";
import { shown } from "../../../shared/pages/server/responses.ts";
import type { Calibration } from "../../../shared/platform/catalogue/stage-catalogue.ts";
import type { Evaluation } from "./evaluation.ts";
import { qualityPage } from "./pages.ts";
import { Quality } from "./quality.tsx";

/** What this page uses. */
export interface QualityDependencies {
  /** The newest evaluation of the stage; `undefined` when nothing was measured. */
  readonly evaluation: Evaluation | undefined;
  /** What is known about the confidence of transcripts. */
  readonly calibration?: Calibration | undefined;
}

/** How good the stage's models are. */
export const qualityPages = ({ evaluation, calibration }: QualityDependencies): BoundPage[] => [
  page(qualityPage, {
    show: () => shown({ content: <Quality {...{ evaluation, calibration }} now={Date.now()} /> }),
  }),
];
