/** Limits of requests with several texts; `translateBatch` and the routes for clients of others share them. */

/** The maximum size of a body. */
export const batchBytes = 128 * 1_024;

export const maxTexts = 50;

/** Of each text, in code points. */
export const maxTextCharacters = 5_000;
