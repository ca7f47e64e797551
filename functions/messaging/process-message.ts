import type { InboundMessage } from "../../shared/messaging/inbound-message.ts";
import { logger } from "../../shared/platform/telemetry/logger.ts";
import { messageAttempts } from "./contract.ts";
import {
  type Conversation,
  type ConversationsRepository,
  initialSettings,
  withExchange,
} from "./conversation.ts";
import { type DeliveryDependencies, deliverOutput } from "./deliver-output.ts";
import type { LongRecordings } from "./long-recordings.ts";
import type { Attempt, FinishMessage, MessageRecords, Progress } from "./message-records.ts";
import { RetryLater } from "./message-records.ts";
import type { MessagingPlatform } from "./messaging-platform.ts";
import { Outbox } from "./outbox.ts";
import { judgePace, type PaceVerdict } from "./pace.ts";
import { type Plan, type Planner, type PlanningTools, plan as planOf, say } from "./plan.ts";
import { wording } from "./wording.ts";

/** The platform shows the typing indicator for 25 seconds, or until something is sent. */
const againMilliseconds = 20_000;

/**
 * Shows the person that we have read the message and are typing, until stopped. Ignores failures. Does nothing for a transcript,
 * whose message id the platform does not know.
 */
const keepTyping = (platform: MessagingPlatform, message: InboundMessage) => {
  let showing: Promise<void> = Promise.resolve();
  const showAgain = (): void => {
    if (message.content.type === "transcript") return;
    showing = showing.then(() => platform.showTyping(message, message.id)).catch(() => undefined);
  };
  showAgain();
  const timer = setInterval(showAgain, againMilliseconds);
  return {
    showAgain,
    /** Resolves when the last request has ended. */
    stop: async (): Promise<void> => {
      clearInterval(timer);
      await showing;
    },
  };
};

export interface ProcessDependencies extends DeliveryDependencies {
  readonly records: MessageRecords;
  readonly longRecordings: Pick<LongRecordings, "clear" | "outcomeOf">;
  readonly conversations: ConversationsRepository;
  readonly finish: FinishMessage;
  /** How long to wait for the platform's report about a reply when the response to the send was lost. */
  readonly receiptMilliseconds: number;
  /** Rewrites the note of a conversation when it is time; returns the conversation unchanged when that fails. */
  readonly refreshNote: (conversation: Conversation, signal: AbortSignal) => Promise<Conversation>;
}

const newConversation: Conversation = { settings: initialSettings, exchanges: [], note: "" };

/** Returns the conversation after the message; `undefined` when the message changes nothing. */
const conversationAfter = (
  before: Conversation,
  { changes = {}, replies }: Progress,
): Conversation | undefined => {
  const { settings, exchange, isFirst, long_recording: longRecording } = changes;
  if (!settings && !exchange && !isFirst && longRecording === undefined) return undefined;
  const { long_recording: known, ...others } = before;
  const current = longRecording === undefined ? known : longRecording;
  const changed = {
    ...others,
    settings: settings ?? before.settings,
    ...(current ? { long_recording: current } : {}),
  };
  return exchange ? withExchange(changed, { ...exchange, replies: [...replies] }) : changed;
};

/** For messages that were counted before: dead-lettered ones, and voice notes whose transcript has arrived. */
const uncounted = { kind: "uncounted" } as const;

const paceOf = (
  { sentAt, content }: InboundMessage,
  { isDeadLettered }: Attempt,
  { pace }: Conversation,
): PaceVerdict | typeof uncounted =>
  isDeadLettered || content.type === "transcript"
    ? uncounted
    : judgePace(pace, sentAt ?? Math.floor(Date.now() / 1_000));

/** Plans the reply while the person sees that we are typing. */
const planWhileTyping = async (
  message: InboundMessage,
  plan: Planner,
  conversation: Conversation,
  tools: PlanningTools,
  platform: MessagingPlatform,
): Promise<Plan> => {
  const typing = keepTyping(platform, message);
  const sayNow: PlanningTools["sayNow"] = async (output) => {
    await tools.sayNow(output);
    typing.showAgain();
  };
  try {
    return await plan(message, conversation, { ...tools, sayNow });
  } finally {
    // Before the reply is sent: a later typing indicator would announce another reply.
    await typing.stop();
  }
};

const reply = async (
  outbox: Outbox,
  verdict: PaceVerdict | typeof uncounted,
  planReply: () => Promise<Plan>,
): Promise<void> => {
  if (outbox.isPlanned) await outbox.flush();
  else if (verdict.kind === "tell") await outbox.execute(planOf(say(wording.tooMany[verdict.limit])));
  else if (verdict.kind === "leave") logger.info("message.left_out");
  else await outbox.execute(await planReply());
};

/**
 * Processes a message: claims it, plans the reply, sends it, and stores what to remember. A worker can be killed at any step. The
 * next attempt continues from there, and sends nothing twice.
 *
 * @param plan plans the reply; called again when an attempt ends before its plan is stored.
 * @param signal aborts while there is still time to send an apology.
 * @throws RetryLater, LeaseLost, or any other error that ends the attempt.
 */
export const processMessage = async (
  message: InboundMessage,
  attempt: Attempt,
  plan: Planner,
  dependencies: ProcessDependencies,
  signal: AbortSignal,
): Promise<void> => {
  const { records, conversations, finish, platform, refreshNote, longRecordings } = dependencies;
  const claim = await records.claim(message, attempt);
  if (claim.kind === "done") return;
  if (claim.kind === "held") throw new RetryLater(claim.secondsLeft, "Another worker has the message.");

  const known = await conversations.find(message.sender);
  const conversation = known ?? newConversation;
  const outbox = new Outbox(message, attempt, claim.record, {
    records,
    receiptMilliseconds: dependencies.receiptMilliseconds,
    deliver: (output, index) => deliverOutput(message, output, index, dependencies, signal),
  });
  const verdict = paceOf(message, attempt, conversation);
  const tools = {
    sayNow: (output) => outbox.sayNow(output),
    isFirst: known === undefined,
    isLastAttempt: attempt.receiveCount >= messageAttempts,
    signal,
  } satisfies PlanningTools;
  await reply(outbox, verdict, () => planWhileTyping(message, plan, conversation, tools, platform));

  const { content } = message;
  // The transcript has been sent, so remove it. An attempt that is killed here repeats this.
  if (content.type === "transcript") await longRecordings.clear(content.jobId);
  const { progress } = outbox;
  const changed = conversationAfter(conversation, progress);
  const after = changed ? await refreshNote(changed, signal) : known;
  await finish(message, attempt, {
    conversation: after && "pace" in verdict ? { ...after, pace: verdict.pace } : changed && after,
    feedback: progress.changes?.feedback,
    progress,
  });
};
