/** Version 00 of W3C Trace Context: trace and parent in lower-case hexadecimal, neither of them all zeros. */
const version00 = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** A `traceparent` header that may be sent on; `undefined` for one that is absent or not as the standard says. */
export const readTraceparent = (header: string | undefined): string | undefined =>
  header !== undefined && version00.test(header) ? header : undefined;

/** The id that all parts of a trace have in common, out of a checked `traceparent`. */
export const traceIdOf = (traceparent: string): string => traceparent.slice(3, 35);
