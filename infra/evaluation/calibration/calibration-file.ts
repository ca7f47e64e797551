import * as z from "zod";
import type { Calibration } from "../../../shared/platform/catalogue/stage-catalogue.ts";

const share = z.number().min(0).max(1);
const count = z.int().min(0);

type Points = readonly (readonly [number, number])[];

const rises = (points: Points): boolean =>
  points.every(([score, right], index) => {
    const [before = -1, rightBefore = 0] = points[index - 1] ?? [];
    return score > before && right >= rightBefore;
  });

const signal = z.object({
  words: count,
  curve: z
    .array(z.tuple([share, share]))
    .min(2)
    .refine(rises, { error: "must rise from point to point" })
    .nullable(),
  checks: z.array(z.object({ from: share, to: share, count, right: count })),
});

/** What `npm run evaluate -- --calibrate` writes as `calibration.json`. */
export const calibrationFile: z.ZodType<Calibration> = z.object({
  version: z.literal(1, { error: "must be 1" }),
  measured_at: z.iso.datetime(),
  base_url: z.url(),
  data: z.object({ name: z.string(), about: z.string() }),
  languages: z.record(z.string(), z.object({ recordings: count, words: signal, segments: signal })),
});
