import * as z from "zod";
import type { InboundMessage } from "../../shared/messaging/inbound-message.ts";
import { type Conversation, exchange, settings } from "./conversation/conversation.ts";
import type { Output } from "./output.ts";

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
});
export type Changes = z.infer<typeof changes>;

/** What is to be said in answer to a message, and to be remembered of it. */
export interface Plan {
  readonly outputs: readonly Output[];
  readonly changes: Changes;
}

/** What whoever plans an answer has at hand. */
export interface PlanningTools {
  /** Sends something at once, before the plan is made; never twice, however often a message is tried. */
  readonly sayNow: (output: Output) => Promise<void>;
  /** Nothing is known of the person yet. */
  readonly isFirst: boolean;
  /** Aborted while there is still time to send an apology. */
  readonly signal: AbortSignal;
}

/** Plans the answer to a message. What it throws is a fault: the message is tried again. */
export type Planner = (
  message: InboundMessage,
  conversation: Conversation,
  tools: PlanningTools,
) => Promise<Plan> | Plan;
