import * as z from "zod";

/**
 * A string that can be stored and sent on: a lone surrogate (half a character, as a cut UTF-16 string leaves it)
 * cannot be written as UTF-8, so it is refused here instead of being replaced silently later.
 */
export const text = () =>
  z.string().refine((value) => value.isWellFormed(), {
    error: "Input should be a valid string, unable to parse raw data as a unicode string",
    params: { type: "string_unicode" },
    abort: true,
  });

/**
 * A bound on a text's length in characters, as people count them: Unicode code points. zod's own `min` and `max` count
 * UTF-16 units, of which an emoji, or a letter of Adlam, has two.
 */
export const characters =
  (minimum: number, maximum: number): z.core.CheckFn<string> =>
  ({ value, issues }) => {
    const length = [...value].length;
    const issue = { origin: "string", inclusive: true, input: value } as const;
    if (length < minimum) issues.push({ ...issue, code: "too_small", minimum });
    if (length > maximum) issues.push({ ...issue, code: "too_big", maximum });
  };
