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
import { type Planner, plan as planOf, say } from "./plan.ts";
import { wording } from "./wording.ts";

/** The platform shows it for 25 seconds, or until something is sent. */
const againMilliseconds = 20_000;

/**
 * Shows the person that their message was read and is being answered, until stopped. A courtesy: failures are ignored. What the
 * person has not sent themselves, the platform does not know.
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
    /** Resolves when nothing more is on its way. */
    stop: async (): Promise<void> => {
      clearInterval(timer);
      await showing;
    },
  };
};

/** Everything that working on a message touches. */
export interface ProcessDependencies extends DeliveryDependencies {
  readonly records: MessageRecords;
  readonly longRecordings: Pick<LongRecordings, "clear" | "outcomeOf">;
  readonly conversations: ConversationsRepository;
  readonly finish: FinishMessage;
  /** How long after a send whose response was lost the platform's report about it is waited for. */
  readonly receiptMilliseconds: number;
  /** Makes the note of a conversation anew when it is time; gives it back as it was when that fails. */
  readonly refreshNote: (conversation: Conversation, signal: AbortSignal) => Promise<Conversation>;
}

const newConversation: Conversation = { settings: initialSettings, exchanges: [], note: "" };

/** The conversation after the message; `undefined` when the message itself changes nothing of it. */
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

/** What answers a message that was let in before, as one of the dead-letter queue, or a voice note whose transcript comes. */
const uncounted = { kind: "uncounted" } as const;

const paceOf = (
  { sentAt, content }: InboundMessage,
  { isDeadLettered }: Attempt,
  { pace }: Conversation,
): PaceVerdict | typeof uncounted =>
  isDeadLettered || content.type === "transcript"
    ? uncounted
    : judgePace(pace, sentAt ?? Math.floor(Date.now() / 1_000));

/**
 * Works on a message until it is answered: takes it on, plans the answer, sends it, and writes down what is to be
 * remembered. Every step may be the last of a try; the next one goes on where it left off, and nothing is said twice.
 *
 * @param plan plans the answer; is asked again when a try ends before its plan is stored.
 * @param signal aborted while there is still time to send an apology.
 * @throws RetryLater, LeaseLost, or whatever else ends the try.
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
  if (claim.kind === "held") throw new RetryLater(claim.secondsLeft, "Another worker is at the message.");

  const known = await conversations.find(message.sender);
  const conversation = known ?? newConversation;
  const outbox = new Outbox(message, attempt, claim.record, {
    records,
    receiptMilliseconds: dependencies.receiptMilliseconds,
    deliver: (output, index) => deliverOutput(message, output, index, dependencies, signal),
  });
  const verdict = paceOf(message, attempt, conversation);
  if (outbox.isPlanned) await outbox.flush();
  else if (verdict.kind === "tell") await outbox.execute(planOf(say(wording.tooMany[verdict.limit])));
  else if (verdict.kind === "leave") logger.info("message.left_out");
  else {
    const typing = keepTyping(platform, message);
    const planIt = async () => {
      try {
        return await plan(message, conversation, {
          sayNow: async (output) => {
            await outbox.sayNow(output);
            typing.showAgain();
          },
          isFirst: known === undefined,
          isLastAttempt: attempt.receiveCount >= messageAttempts,
          signal,
        });
      } finally {
        // Before anything is sent: a sign of typing that comes after the answer would promise another one.
        await typing.stop();
      }
    };
    await outbox.execute(await planIt());
  }

  const { content } = message;
  // Once all of it is sent, nothing of it stays. What is killed in between does so again.
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
