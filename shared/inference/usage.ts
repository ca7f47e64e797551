import * as z from "zod";

/** Tokens a language model counted for one request; a server may leave any of them out. */
export const tokenUsage = z
  .object({
    prompt_tokens: z.int().nullable(),
    completion_tokens: z.int().nullable(),
    total_tokens: z.int().nullable(),
  })
  .meta({ id: "TokenUsage" });
export type TokenUsage = z.infer<typeof tokenUsage>;
