import type { Caller } from "../../shared/auth/caller.ts";
import type { RequestFacts } from "../../shared/http/endpoint.ts";
import type { Asking } from "./dependencies.ts";

/**
 * When speech that is still being made is given up. The signal of a request comes a second before the function's
 * time-out, of at least 290 seconds: too late to clean up what it had begun to store.
 */
const longestMilliseconds = 280_000;

/** Who asks for speech, and until when it may be made. */
export const asking = ({ userId }: Caller, { signal }: RequestFacts): Asking => ({
  userId,
  signal: AbortSignal.any([signal, AbortSignal.timeout(longestMilliseconds)]),
});
