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
