import type { InboundMessage } from "../../shared/messaging/inbound-message.ts";
import { logger } from "../../shared/platform/telemetry/logger.ts";
import { afterRefusal, waitFor } from "./after-refusal.ts";
import { isStop } from "./consent.ts";
import { messageAttempts } from "./contract.ts";
import type { Conversation } from "./conversation.ts";
import { conversationAfter, newConversation, withMessageTime } from "./conversation-after.ts";
import { type DeliveryDependencies, deliverOutput } from "./deliver-output.ts";
import type { FinishMessage } from "./finish-message.ts";
import { judgeMessage, type MessageVerdict } from "./judge-message.ts";
import type { LongRecordings } from "./long-recordings.ts";
import {
  type Attempt,
  type MessageRecord,
  type MessageRecords,
  type Progress,
  RetryLater,
} from "./message-records.ts";
import type { MessagingPlatform } from "./messaging-platform.ts";
import { Outbox } from "./outbox.ts";
import type { FoundPerson, PeopleRepository } from "./person.ts";
import {
  longRecordingOver,
  type Plan,
  type Planner,
  type PlanningTools,
  plan as planOf,
  say,
} from "./plan.ts";
import type { SenderData } from "./sender-data.ts";
import type { Wording } from "./wording/english.ts";
import { wordingFor, wordingIn, wordingLanguage } from "./wording.ts";

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
  readonly people: PeopleRepository;
  readonly senderData: SenderData;
  readonly finish: FinishMessage;
  /** How long to wait for the platform's report about a reply when the response to the send was lost. */
  readonly receiptMilliseconds: number;
  /** Rewrites the note of a conversation when it is time; returns the conversation unchanged when that fails. */
  readonly refreshNote: (conversation: Conversation, signal: AbortSignal) => Promise<Conversation>;
}

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
  verdict: MessageVerdict,
  wording: Wording,
  planReply: () => Promise<Plan>,
  forget: () => Promise<void>,
): Promise<void> => {
  if (!outbox.isPlanned) {
    if (verdict.kind === "leave") return logger.info("message.left_out");
    const plan = verdict.kind === "tell" ? planOf(say(wording.tooMany[verdict.limit])) : await planReply();
    outbox.add(plan);
    // Deleting the conversation also deletes the question that this message replies to.
    if (plan.changes.forgets) await outbox.save();
  }
  if (outbox.progress.changes?.forgets) await forget();
  await outbox.flush();
};

/** Sends nothing to a person who said STOP. A transcript waits until they write START. */
const leaveStopped = async (
  message: InboundMessage,
  attempt: Attempt,
  { person, conversation: known }: FoundPerson,
  { finish, longRecordings }: ProcessDependencies,
  progress: Progress,
): Promise<void> => {
  const { content } = message;
  logger.info("message.sender_stopped");
  // What was stored under another identifier moves to the person.
  let conversation = person.absorbed.length > 0 ? known : undefined;
  if (content.type === "transcript") {
    if (!known) await longRecordings.clear(content.jobId);
    const changes = known && { ...longRecordingOver(content.jobId, known), ...waitFor(content) };
    conversation = (changes && conversationAfter(known, { changes, replies: [] })) ?? conversation;
  }
  await finish(message, attempt, { person, conversation, feedback: undefined, progress });
};

/** Notes that a person has another identifier. */
const joinPerson = (
  message: InboundMessage,
  attempt: Attempt,
  { person, conversation }: FoundPerson,
  { finish }: ProcessDependencies,
  progress: Progress,
): Promise<void> =>
  finish(message, attempt, {
    person,
    conversation: person.absorbed.length > 0 ? conversation : undefined,
    feedback: undefined,
    progress,
  });

/** Removes the recordings whose results have been sent. An attempt that is killed here repeats this. */
const clearRecordings = async (
  { content }: InboundMessage,
  { waiting_result: waited }: Conversation,
  { changes = {} }: Progress,
  { clear }: Pick<LongRecordings, "clear">,
): Promise<void> => {
  if (content.type === "transcript" && !changes.waiting_result) await clear(content.jobId);
  if (waited && changes.waiting_result === null) await clear(waited.job_id);
};

/** Stores what a message changes. */
const remember = async (
  message: InboundMessage,
  attempt: Attempt,
  { person, known, verdict, progress }: Handled,
  { finish, refreshNote }: ProcessDependencies,
  signal: AbortSignal,
): Promise<void> => {
  const changed = conversationAfter(known ?? newConversation, progress);
  const after = changed ? await refreshNote(changed, signal) : known;
  const conversation =
    after && "pace" in verdict
      ? withMessageTime({ ...after, pace: verdict.pace }, message)
      : changed || person.absorbed.length > 0
        ? after
        : undefined;
  const { feedback, translation, stopped } = progress.changes ?? {};
  await finish(message, attempt, { person, conversation, feedback, translation, stopped, progress });
};

/** A message whose reply has been sent. */
interface Handled extends Pick<FoundPerson, "person"> {
  readonly known: Conversation | undefined;
  readonly verdict: MessageVerdict;
  readonly progress: Progress;
}

/** Creates the outbox of a claimed message. */
const openOutbox = (
  message: InboundMessage,
  attempt: Attempt,
  record: MessageRecord,
  conversation: Conversation,
  dependencies: ProcessDependencies,
  signal: AbortSignal,
): Outbox => {
  const { records, receiptMilliseconds, resultTemplate } = dependencies;
  const language = wordingLanguage(conversation);
  const wording = wordingIn(language);
  return new Outbox(message, attempt, record, {
    records,
    receiptMilliseconds,
    afterRefusal: afterRefusal({ message, wording, hasTemplate: resultTemplate !== undefined }),
    deliver: (output, index) => deliverOutput(message, output, index, language, dependencies, signal),
  });
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
  const { records, people, platform, senderData, longRecordings } = dependencies;
  const claim = await records.claim(message, attempt);
  if (claim.kind === "done") return;
  if (claim.kind === "held") throw new RetryLater(claim.secondsLeft, "Another worker has the message.");

  const found = await people.find(message);
  const { person, conversation: known } = found;
  const conversation = known ?? newConversation;
  const isStopped = person.stoppedAt !== undefined;
  const verdict = judgeMessage(message, attempt, conversation, isStopped);
  if (verdict.kind === "stopped") {
    return leaveStopped(message, attempt, found, dependencies, claim.record);
  }
  if (message.content.type === "identity")
    return joinPerson(message, attempt, found, dependencies, claim.record);
  const outbox = openOutbox(message, attempt, claim.record, conversation, dependencies, signal);
  if (!known && !outbox.isPlanned && (await records.isForgotten(message))) {
    return records.erase(message, attempt);
  }
  const tools = {
    sayNow: (output) => outbox.sayNow(output),
    isFirst: known === undefined,
    isStopped,
    isLastAttempt: attempt.receiveCount >= messageAttempts,
    signal,
  } satisfies PlanningTools;
  const planReply = (): Promise<Plan> =>
    isStop(message, conversation)
      ? Promise.resolve(plan(message, conversation, tools))
      : planWhileTyping(message, plan, conversation, tools, platform);
  await reply(outbox, verdict, wordingFor(conversation), planReply, () =>
    senderData.forget(message, conversation),
  );

  const { progress } = outbox;
  if (progress.changes?.forgets) return records.erase(message, attempt);
  await clearRecordings(message, conversation, progress, longRecordings);
  await remember(message, attempt, { person, known, verdict, progress }, dependencies, signal);
};
