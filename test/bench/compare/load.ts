/** Messages to and from the load generator. */
import * as z from "zod";

const target = z.object({
  name: z.string(),
  url: z.url(),
  headers: z.record(z.string(), z.string()),
  model: z.string(),
  takesEvents: z.boolean().optional(),
});

const streamed = z.object({ tokens: z.int().min(1), pauseMilliseconds: z.number().min(0) });

/**
 * Sends one request after the other on every connection, for a time and until there were enough of them: on a busy
 * machine a program must be warm, and a window must contain more than a few hundred requests.
 */
const saturate = z.object({
  kind: z.literal("saturate"),
  target,
  connections: z.int().min(1),
  milliseconds: z.number(),
  requests: z.int().min(1),
  /** The size of each request's body; by default that of a short conversation. */
  bodyBytes: z.int().min(1_000).optional(),
});

/** Many streams at a time, one on each connection, from all targets at once. */
const streams = z.object({
  kind: z.literal("streams"),
  targets: z.array(target),
  connections: z.int().min(1),
  reply: streamed,
});

/** One request at a time, to each target once a round. */
const alternate = z.object({
  kind: z.literal("alternate"),
  targets: z.array(target.extend({ pids: z.array(z.int()) })),
  rounds: z.int().min(1),
  /** Omitted for whole responses. */
  reply: streamed.optional(),
});

/** One whole response and one stream, to see what they say. */
const read = z.object({ kind: z.literal("read"), target, reply: streamed });

/** Begins streams that it does not read, one on each connection, and keeps them open until `release`. */
const hold = z.object({ kind: z.literal("hold"), target, connections: z.int().min(1), reply: streamed });

const release = z.object({ kind: z.literal("release") });

/** A message to the load generator. */
export const loadCommand = z.discriminatedUnion("kind", [saturate, streams, alternate, read, hold, release]);
export type LoadCommand = z.infer<typeof loadCommand>;

/** Measurements of the responses of one target. */
export const loadResult = z.object({
  requests: z.int(),
  milliseconds: z.number(),
  medianMilliseconds: z.number(),
});
export type LoadResult = z.infer<typeof loadResult>;

/** Why a target was given up: its first wrong response. */
const failed = z.object({ failure: z.string() });

/** The same of several targets, in their order. */
export const loadResults = z.array(z.union([loadResult, failed]));
export type LoadOutcome = z.infer<typeof loadResults>[number];

const timed = z.object({
  /** Until the response was complete, or a stream's first token arrived. */
  milliseconds: z.number(),
  /** How much of it the processes involved waited for a busy core. */
  waitedMilliseconds: z.number(),
});

/** One request to a target. */
export type TimedResponse = z.infer<typeof timed>;

/** By target, one entry a round. */
export const alternateResult = z.record(z.string(), z.union([z.array(timed), failed]));
export type AlternateResult = z.infer<typeof alternateResult>;

/** What a whole response and a stream say, without what a gateway may add. */
export const readResult = z.object({ whole: z.unknown(), stream: z.unknown() });
export type ReadResult = z.infer<typeof readResult>;
