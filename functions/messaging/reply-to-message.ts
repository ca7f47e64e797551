import type { Conversation } from "./conversation.ts";
import { ratingList, welcomeList } from "./menus.ts";
import { answer, longRecordingOver, type Plan, type Planner, plan } from "./plan.ts";
import { answerChoice } from "./reply-to-choice.ts";
import { type AnswerDependencies, answerText } from "./reply-to-text.ts";
import { answerTranscript, answerVoiceNote } from "./reply-to-voice-note.ts";
import { apology, wording } from "./wording.ts";

/** Keeps a reaction together with the answer it was given to, if that is remembered, and asks for more. */
const answerReaction = (
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

/** Plans the answer to whatever somebody has sent. Whoever is new is welcomed after it. */
export const createAnswerPlanner = (dependencies: AnswerDependencies): Planner => {
  const answerContent: Planner = (message, conversation, tools) => {
    const { name, content } = message;
    switch (content.type) {
      case "text":
        return answerText({ text: content.text, name }, conversation, dependencies, tools.signal);
      case "voice":
        return answerVoiceNote({ message, mediaId: content.mediaId }, conversation, dependencies, tools);
      case "transcript":
        return answerTranscript(content, conversation, dependencies);
      case "choice":
        return answerChoice(content, conversation);
      case "reaction":
        return answerReaction(content, conversation);
      case "unsupported":
        return answer(wording.unsupported);
    }
  };
  return async (message, conversation, tools) => {
    const { outputs, changes } = await answerContent(message, conversation, tools);
    // Who is not known any more was welcomed before the long recording.
    return tools.isFirst && message.content.type !== "transcript"
      ? { outputs: [...outputs, welcomeList], changes: { ...changes, isFirst: true } }
      : { outputs, changes };
  };
};

/** Plans the apology for a message that could not be answered in all its tries. */
export const planApology: Planner = ({ content }, conversation) =>
  plan(
    apology("broken"),
    content.type === "transcript" ? longRecordingOver(content.jobId, conversation) : {},
  );
