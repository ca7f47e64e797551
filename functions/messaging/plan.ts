import * as z from "zod";
import type { InboundMessage } from "../../shared/messaging/inbound-message.ts";
import { type Conversation, exchange, longRecording, settings } from "./conversation.ts";

const row = z.object({ id: z.string(), title: z.string(), description: z.string().optional() });
const button = z.object({ id: z.string(), title: z.string() });

/** A message of the assistant, as it is planned and stored; {@link ./messaging-platform.ts} sends it. */
export const output = z.discriminatedUnion("kind", [
  /** `quoting`: the id of the message that is shown above it. */
  z.object({ kind: z.literal("text"), text: z.string(), quoting: z.string().optional() }),
  z.object({
    kind: z.literal("list"),
    header: z.string(),
    text: z.string(),
    footer: z.string().optional(),
    /** What is tapped to open the list. */
    button: z.string(),
    rows: z.array(row),
  }),
  z.object({ kind: z.literal("buttons"), text: z.string(), buttons: z.array(button) }),
  /** A voice note, made when its turn comes. `language` is an ISO 639-3 code. */
  z.object({ kind: z.literal("speech"), text: z.string(), language: z.string() }),
  /** The transcript of a long recording as a file, made when its turn comes: it may be larger than what can be stored here. */
  z.object({
    kind: z.literal("transcript"),
    jobId: z.string(),
    caption: z.string(),
    quoting: z.string().optional(),
  }),
]);
export type Output = z.infer<typeof output>;
export type ListOutput = Extract<Output, { kind: "list" }>;
export type ButtonsOutput = Extract<Output, { kind: "buttons" }>;
export type TranscriptOutput = Extract<Output, { kind: "transcript" }>;
export type SpeechOutput = Extract<Output, { kind: "speech" }>;

/** What somebody thinks of an answer. */
export const feedback = z.object({
  kind: z.enum(["reaction", "rating"]),
  /** An emoji, or one of the words of the rating list. */
  value: z.string(),
  /** The platform's id of the answer; absent when it is not known which one was meant. */
  reply: z.string().optional(),
  exchange: exchange.pick({ question: true, answer: true }).optional(),
});
export type Feedback = z.infer<typeof feedback>;

/** What a message changes in the person's conversation. */
export const changes = z.object({
  settings: settings.optional(),
  exchange: exchange.pick({ question: true, answer: true }).optional(),
  feedback: feedback.optional(),
  /** The first answer to somebody: a conversation begins. */
  isFirst: z.boolean().optional(),
  /** A long recording is begun, or with `null` is over. */
  long_recording: longRecording.nullable().optional(),
});
export type Changes = z.infer<typeof changes>;

/** What is to be said in answer to a message, and to be remembered of it. */
export interface Plan {
  readonly outputs: readonly Output[];
  readonly changes: Changes;
}

/** A plain message, under the one it is about if that is named. */
export const say = (text: string, quoting?: string): Output => ({
  kind: "text",
  text,
  ...(quoting === undefined ? {} : { quoting }),
});

/** An answer of these outputs. */
export const plan = (outputs: Output | readonly Output[], changes: Changes = {}): Plan => ({
  outputs: [outputs].flat(),
  changes,
});

/** A plain answer that changes nothing. */
export const replyWith = (text: string): Plan => plan(say(text));

/** What the end of a long recording changes: its sender may send another one. */
export const longRecordingOver = (jobId: string, { long_recording: ofPerson }: Conversation): Changes =>
  ofPerson?.job_id === jobId ? { long_recording: null } : {};

/** What whoever plans an answer has at hand. */
export interface PlanningTools {
  /** Sends something at once, before the plan is made; never twice, however often a message is tried. */
  readonly sayNow: (output: Output) => Promise<void>;
  /** Nothing is known of the person yet. */
  readonly isFirst: boolean;
  /** The message will not be tried again: what cannot be had now has to be answered without. */
  readonly isLastAttempt: boolean;
  /** Aborted while there is still time to send an apology. */
  readonly signal: AbortSignal;
}

/** Plans the answer to a message. What it throws is a fault: the message is tried again. */
export type Planner = (
  message: InboundMessage,
  conversation: Conversation,
  tools: PlanningTools,
) => Promise<Plan> | Plan;
