import { randomBytes } from "node:crypto";

/** Our part of a caller's distributed trace, by W3C Trace Context. */
export interface TraceSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** The span of the caller that caused ours. */
  readonly parentId: string;
  /** The header of requests and messages that this span causes. */
  readonly traceparent: string;
}

/** Version, trace, parent and flags in lower-case hexadecimal, and what a later version may add. An id is not all zeros. */
const format = /^(?!ff)([0-9a-f]{2})-((?!0{32})[0-9a-f]{32})-((?!0{16})[0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** `sampled` and `random`; the standard requires all other flags to be 0. */
const knownFlags = 0b11;

/**
 * Starts our own span in the trace of a `traceparent` header; `undefined` when the header is absent or malformed.
 *
 * Only the ids and known flags of the header are passed on, in version 00, and nothing of `tracestate`, which is free text.
 */
export const joinTrace = (header = ""): TraceSpan | undefined => {
  const [, version, traceId, parentId, flags = "", more] = format.exec(header) ?? [];
  if (traceId === undefined || parentId === undefined) return undefined;
  if (version === "00" && more !== undefined) return undefined;
  const spanId = randomBytes(8).toString("hex");
  const sentFlags = (Number.parseInt(flags, 16) & knownFlags).toString(16).padStart(2, "0");
  return { traceId, spanId, parentId, traceparent: `00-${traceId}-${spanId}-${sentFlags}` };
};

/** The fields of a log line that lead to a span; none without one. */
export const spanFields = (span: TraceSpan | undefined) =>
  span ? { trace_id: span.traceId, span_id: span.spanId, parent_span_id: span.parentId } : {};
