import * as z from "zod";
import type { Table } from "../platform/storage/table.ts";
import { messagingKeys } from "./keys.ts";

/** A translation that a person called wrong, and let us store. */
export const translationFeedback = z.object({
  source: z.string(),
  translation: z.string(),
  /** ISO 639-3; absent when the language of the source could not be identified. */
  source_language: z.string().optional(),
  target_language: z.string(),
  /** What the person would have expected. */
  correction: z.string().optional(),
});
export type TranslationFeedback = z.infer<typeof translationFeedback>;

const storedFeedback = translationFeedback.extend({
  /** When the person agreed that we store it, ISO 8601, UTC. */
  consent_at: z.string(),
  expires_at: z.int(),
});

/** Returns the translations of a month, such as `2026-11`, oldest first; access pattern M7 of this folder's README. */
export const readTranslationFeedback = async (table: Pick<Table, "query">, month: string) => {
  const { PK: partition } = messagingKeys.translationFeedback({ month, id: "" });
  const found = (await table.query({ partition })).map((item) => storedFeedback.parse(item));
  // The table takes days to delete expired items.
  return found
    .filter(({ expires_at: expiry }) => expiry * 1_000 > Date.now())
    .map(({ expires_at: _expiry, ...feedback }) => feedback);
};
