import * as z from "zod";

/**
 * The schema of a body with `encoding: "raw"`: the bytes as they came, for whoever has to check a signature over them.
 *
 * @param description what is in them, for the API's documentation.
 */
export const rawBody = (description: string) =>
  z
    .custom<Uint8Array>((value) => value instanceof Uint8Array)
    .meta({ override: { type: "object" }, description });
