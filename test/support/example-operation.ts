import * as z from "zod";

/** An operation that only a test has, which adds its path, who may call it and what it takes. */
export const exampleOperation = {
  id: "example",
  method: "POST",
  summary: "Example",
  tag: "Service",
  response: { status: 200, description: "It", schema: z.looseObject({}) },
  errors: [],
} as const;
