import * as z from "zod";

/** An enabled lifecycle rule; it applies to objects with the prefix. */
export const lifecycleRuleSchema = z.object({
  prefix: z.string(),
  expirationInDays: z.number().optional(),
  abortUploadsAfterDays: z.number().optional(),
});
export type LifecycleRule = z.infer<typeof lifecycleRuleSchema>;
