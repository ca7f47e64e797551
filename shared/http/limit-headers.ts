import type { Standing } from "../limits/admission.ts";

const windowSeconds: Readonly<Record<Standing["window"], number>> = { minute: 60, day: 86_400 };

/**
 * What the limiter found, for the caller: `RateLimit-Policy` and `RateLimit` as draft-ietf-httpapi-ratelimit-headers-10
 * has them, and the OpenAI API's own headers, which its SDKs' users know, for the minute.
 *
 * Where nothing could be counted, only what is certain is told.
 */
export const limitHeaders = (standings: readonly [Standing, ...Standing[]]): Record<string, string> => {
  const [minute] = standings;
  const policies = standings.map(({ window, limit }) => `"${window}";q=${limit};w=${windowSeconds[window]}`);
  const counted = standings.flatMap(({ window, remaining, resetSeconds }) =>
    remaining === undefined ? [] : [`"${window}";r=${remaining};t=${resetSeconds}`],
  );
  return {
    "RateLimit-Policy": policies.join(", "),
    ...(counted.length > 0 ? { RateLimit: counted.join(", ") } : {}),
    "x-ratelimit-limit-requests": String(minute.limit),
    ...(minute.remaining === undefined ? {} : { "x-ratelimit-remaining-requests": String(minute.remaining) }),
    "x-ratelimit-reset-requests": `${minute.resetSeconds}s`,
  };
};
