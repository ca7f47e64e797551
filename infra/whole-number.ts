import * as z from "zod";

/** A setting that is a whole number within bounds, as a number or as text. */
export const wholeNumber = (from: number, to = Number.MAX_SAFE_INTEGER) => {
  const error = `must be a whole number from ${from}${to < Number.MAX_SAFE_INTEGER ? ` to ${to}` : ""}`;
  return z.coerce.number({ error }).int({ error }).min(from, { error }).max(to, { error });
};
