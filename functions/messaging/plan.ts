import * as z from "zod";
import type { InboundMessage } from "../../shared/messaging/inbound-message.ts";
import { translationFeedback } from "../../shared/messaging/translation-feedback.ts";
import {
  type Conversation,
  consent,
  exchange,
  longRecording,
  openQuestion,
  settings,
  waitingResult,
} from "./conversation.ts";

const row = z.object({ id: z.string(), title: z.string(), description: z.string().optional() });
const button = z.object({ id: z.string(), title: z.string() });

/** A message of the assistant, as it is planned and stored. */
export const output = z.discriminatedUnion("kind", [
  /** `quoting`: the id of the message to quote. */
  z.object({ kind: z.literal("text"), text: z.string(), quoting: z.string().optional() }),
  z.object({
    kind: z.literal("list"),
    header: z.string(),
    text: z.string(),
    footer: z.string().optional(),
    button: z.string(),
    rows: z.array(row),
  }),
  z.object({ kind: z.literal("buttons"), text: z.string(), buttons: z.array(button) }),
  /** A voice note, which is synthesized just before it is sent. `language` is an ISO 639-3 code. */
  z.object({ kind: z.literal("speech"), text: z.string(), language: z.string() }),
  /** The transcript of a long recording, read just before it is sent as a file: it may be too large to store here. */
  z.object({
    kind: z.literal("transcript"),
    jobId: z.string(),
    caption: z.string(),
    quoting: z.string().optional(),
  }),
  /** The same as a template message, which the platform also accepts when the person has not written for a day. */
  z.object({ kind: z.literal("template"), jobId: z.string() }),
  /** A file with everything that is stored about the person, read just before it is sent. */
  z.object({ kind: z.literal("data"), caption: z.string() }),
]);
export type Output = z.infer<typeof output>;
export type ListOutput = Extract<Output, { kind: "list" }>;
export type ButtonsOutput = Extract<Output, { kind: "buttons" }>;
export type TranscriptOutput = Extract<Output, { kind: "transcript" }>;
export type DataOutput = Extract<Output, { kind: "data" }>;
export type TemplateOutput = Extract<Output, { kind: "template" }>;
export type SpeechOutput = Extract<Output, { kind: "speech" }>;

export const feedback = z.object({
  kind: z.enum(["reaction", "rating"]),
  /** An emoji, or one of the words of the rating list. */
  value: z.string(),
  /** The platform's id of the reply; absent when it is unknown. */
  reply: z.string().optional(),
  exchange: exchange.pick({ question: true, answer: true }).optional(),
});
export type Feedback = z.infer<typeof feedback>;

/** The changes of a message to the person's conversation. `null` removes an attribute. */
export const changes = z.object({
  settings: settings.optional(),
  exchange: exchange.omit({ replies: true }).optional(),
  feedback: feedback.optional(),
  translation: translationFeedback.optional(),
  /** The first reply to a person starts a conversation. */
  isFirst: z.boolean().optional(),
  /** The long recording that has started; `null` when it has ended. */
  long_recording: longRecording.nullable().optional(),
  waiting_result: waitingResult.nullable().optional(),
  open_question: openQuestion.nullable().optional(),
  writes_in: z.string().optional(),
  consent: consent.optional(),
  /** `true` after STOP, `false` after START. */
  stopped: z.boolean().optional(),
  /** The message leaves nothing, and everything else about the person is deleted before its reply is sent. */
  forgets: z.literal(true).optional(),
});
export type Changes = z.infer<typeof changes>;

/** The reply to a message, and what to remember. */
export interface Plan {
  readonly outputs: readonly Output[];
  readonly changes: Changes;
}

/** Returns a text, which quotes this message if given. */
export const say = (text: string, quoting?: string): Output => ({
  kind: "text",
  text,
  ...(quoting === undefined ? {} : { quoting }),
});

/** Returns a plan with these outputs. */
export const plan = (outputs: Output | readonly Output[], changes: Changes = {}): Plan => ({
  outputs: [outputs].flat(),
  changes,
});

/** Returns a plan with one text and no changes. */
export const replyWith = (text: string): Plan => plan(say(text));

/** The change at the end of a long recording: its sender may send another one. */
export const longRecordingOver = (jobId: string, { long_recording: ofPerson }: Conversation): Changes =>
  ofPerson?.job_id === jobId ? { long_recording: null } : {};

export interface PlanningTools {
  /** Sends an output at once, before the plan. Never sends it twice, even if the message is attempted again. */
  readonly sayNow: (output: Output) => Promise<void>;
  readonly isFirst: boolean;
  /** The person said STOP, and this message may be START. */
  readonly isStopped: boolean;
  /** There will be no other attempt, so the reply must do without anything that is unavailable now. */
  readonly isLastAttempt: boolean;
  /** Aborts while there is still time to send an apology. */
  readonly signal: AbortSignal;
}

/** Plans the reply to a message. After an error, the message is attempted again. */
export type Planner = (
  message: InboundMessage,
  conversation: Conversation,
  tools: PlanningTools,
) => Promise<Plan> | Plan;
