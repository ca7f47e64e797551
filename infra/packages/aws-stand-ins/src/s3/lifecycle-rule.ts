import * as z from "zod";

import { tagSchema } from "./tags.ts";

/** An enabled lifecycle rule; it applies to objects with the prefix that carry every one of the tags. */
export const lifecycleRuleSchema = z.object({
  prefix: z.string(),
  tags: z.array(tagSchema),
  expirationInDays: z.number().optional(),
  abortUploadsAfterDays: z.number().optional(),
});
export type LifecycleRule = z.infer<typeof lifecycleRuleSchema>;
