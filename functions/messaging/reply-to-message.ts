import type { InboundMessage } from "../../shared/messaging/inbound-message.ts";
import { consentOf, needsConsent } from "./consent.ts";
import { readStart } from "./control-phrases.ts";
import type { Conversation } from "./conversation.ts";
import { ratingList, welcomeList } from "./menus.ts";
import {
  longRecordingOver,
  type Plan,
  type Planner,
  type PlanningTools,
  plan,
  replyWith,
  say,
} from "./plan.ts";
import { readWrittenLanguage } from "./read-written-language.ts";
import { replyToChoice } from "./reply-to-choice.ts";
import { type ReplyDependencies, replyToText } from "./reply-to-text.ts";
import { replyToTranscript, waitingOutputs } from "./reply-to-transcript.ts";
import { replyToVoiceNote } from "./reply-to-voice-note.ts";
import { apology, wordingFor, wordingIn, wordingLanguage } from "./wording.ts";

/** Stores a reaction with the reply it belongs to, if that is remembered, and sends the rating list. */
const replyToReaction = (
  { messageId, emoji }: { readonly messageId: string; readonly emoji: string },
  conversation: Conversation,
): Plan => {
  const found = conversation.exchanges.find(({ replies }) => replies.includes(messageId));
  return plan(ratingList(wordingFor(conversation)), {
    feedback: {
      kind: "reaction",
      value: emoji,
      reply: messageId,
      ...(found ? { exchange: { question: found.question, answer: found.answer } } : {}),
    },
  });
};

/** Replies to START of a person who had said STOP. */
const replyToStart = (language: string, conversation: Conversation): Plan =>
  language === "eng"
    ? plan(say(wordingFor(conversation).started), { stopped: false })
    : plan(say(wordingIn(language).started), { stopped: false, writes_in: language });

const replyToContent = async (
  message: InboundMessage,
  conversation: Conversation,
  dependencies: ReplyDependencies,
  tools: PlanningTools,
): Promise<Plan> => {
  const { content } = message;
  switch (content.type) {
    case "text": {
      const start = tools.isStopped ? readStart(content.text) : undefined;
      if (start !== undefined) return replyToStart(start, conversation);
      return replyToText(content.text, message, conversation, dependencies, tools.signal);
    }
    case "voice":
      return replyToVoiceNote({ message, mediaId: content.mediaId }, conversation, dependencies, tools);
    case "transcript":
      return replyToTranscript(content, conversation, !tools.isFirst, dependencies);
    case "choice":
      return replyToChoice(content, conversation);
    case "reaction":
      return replyToReaction(content, conversation);
    // A change of identifiers is stored before a reply is planned.
    case "identity":
    case "unsupported":
      return replyWith(wordingFor(conversation).unsupported);
  }
};

/** Completes the reply to a person's message: with a result that waited for it, and for a new person with a welcome. */
const withMore = async (
  { outputs, changes }: Plan,
  conversation: Conversation,
  dependencies: ReplyDependencies,
  { isFirst }: PlanningTools,
): Promise<Plan> => {
  const late = await waitingOutputs(conversation, dependencies);
  const wording = wordingIn(changes.writes_in ?? wordingLanguage(conversation));
  return {
    outputs: [...outputs, ...late.outputs, ...(isFirst ? [welcomeList(wording)] : [])],
    changes: {
      // A question is open for one message.
      ...(conversation.open_question ? { open_question: null } : {}),
      ...changes,
      ...late.changes,
      ...(isFirst ? { isFirst: true } : {}),
    },
  };
};

/**
 * Creates the planner of replies to all kinds of messages. The first thing that it says to a person is what we store about them. A new
 * person also gets a welcome.
 */
export const createReplyPlanner =
  (dependencies: ReplyDependencies): Planner =>
  async (message, before, tools) => {
    const { content } = message;
    if (content.type === "transcript") return replyToContent(message, before, dependencies, tools);
    const written = readWrittenLanguage(content, before, dependencies);
    const conversation = written === undefined ? before : { ...before, writes_in: written };
    const language = written === undefined ? {} : { writes_in: written };
    const consent = needsConsent(message, conversation) ? { consent: consentOf(Date.now()) } : {};
    const notice = consent.consent ? [say(wordingFor(conversation).consent(dependencies.privacyNotice))] : [];
    // Before the first word about a voice note, which is sent before the reply is planned.
    if (content.type === "voice") for (const output of notice.splice(0)) await tools.sayNow(output);
    const { outputs, changes } = await replyToContent(message, conversation, dependencies, tools);
    const reply = {
      outputs: [...notice, ...outputs],
      changes: { ...language, ...consent, ...changes },
    };
    // Neither STOP nor "forget me" is followed by anything else.
    if (changes.stopped === true || changes.forgets) return reply;
    return withMore(reply, conversation, dependencies, tools);
  };

/** Plans the apology for a message whose attempts have all failed. */
export const planApology: Planner = ({ content }, conversation) =>
  plan(
    apology("broken", wordingFor(conversation)),
    content.type === "transcript" ? longRecordingOver(content.jobId, conversation) : {},
  );
