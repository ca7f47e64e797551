import * as z from "zod";
import { defineFunction } from "../../shared/http/function-definition.ts";

/** CodeDeploy invokes it in each stack that is released gradually. It is no part of the service, so the manifest lists it apart. */
export const releaseCheckFunction = defineFunction({
  name: "release-check",
  description: "Invokes a new version with sample events before callers reach it",
  operations: [],
  environment: {
    /** JSON object: the ARN of the newest version of each function of the stack, by the function's name. */
    CHECKED_VERSIONS: z
      .string()
      .transform((text): unknown => JSON.parse(text))
      .pipe(z.record(z.string(), z.string())),
  },
  memoryMegabytes: 256,
  timeoutSeconds: 120,
  transfer: "buffered",
});
