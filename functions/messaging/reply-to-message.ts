import type { Conversation } from "./conversation.ts";
import { ratingList, welcomeList } from "./menus.ts";
import { longRecordingOver, type Plan, type Planner, plan, replyWith } from "./plan.ts";
import { replyToChoice } from "./reply-to-choice.ts";
import { type ReplyDependencies, replyToText } from "./reply-to-text.ts";
import { replyToTranscript, replyToVoiceNote } from "./reply-to-voice-note.ts";
import { apology, wording } from "./wording.ts";

/** Stores a reaction with the reply it belongs to, if that is remembered, and sends the rating list. */
const replyToReaction = (
  { messageId, emoji }: { readonly messageId: string; readonly emoji: string },
  { exchanges }: Conversation,
): Plan => {
  const found = exchanges.find(({ replies }) => replies.includes(messageId));
  return plan(ratingList, {
    feedback: {
      kind: "reaction",
      value: emoji,
      reply: messageId,
      ...(found ? { exchange: { question: found.question, answer: found.answer } } : {}),
    },
  });
};

/** Creates the planner of replies to all kinds of messages. A new person also gets a welcome. */
export const createReplyPlanner = (dependencies: ReplyDependencies): Planner => {
  const replyToContent: Planner = (message, conversation, tools) => {
    const { name, content } = message;
    switch (content.type) {
      case "text":
        return replyToText({ text: content.text, name }, conversation, dependencies, tools.signal);
      case "voice":
        return replyToVoiceNote({ message, mediaId: content.mediaId }, conversation, dependencies, tools);
      case "transcript":
        return replyToTranscript(content, conversation, dependencies);
      case "choice":
        return replyToChoice(content, conversation);
      case "reaction":
        return replyToReaction(content, conversation);
      case "unsupported":
        return replyWith(wording.unsupported);
    }
  };
  return async (message, conversation, tools) => {
    const { outputs, changes } = await replyToContent(message, conversation, tools);
    // A forgotten person was welcomed before the long recording.
    return tools.isFirst && message.content.type !== "transcript"
      ? { outputs: [...outputs, welcomeList], changes: { ...changes, isFirst: true } }
      : { outputs, changes };
  };
};

/** Plans the apology for a message whose attempts have all failed. */
export const planApology: Planner = ({ content }, conversation) =>
  plan(
    apology("broken"),
    content.type === "transcript" ? longRecordingOver(content.jobId, conversation) : {},
  );
