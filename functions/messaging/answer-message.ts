import { answerChoice } from "./answer-choice.ts";
import { type AnswerDependencies, answerText } from "./answer-text.ts";
import { answerVoiceNote } from "./answer-voice-note.ts";
import type { Conversation } from "./conversation.ts";
import { ratingList, welcomeList } from "./menus.ts";
import { answer, type Plan, type Planner, plan } from "./plan.ts";
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
  const answerContent: Planner = ({ id, name, content }, conversation, tools) => {
    switch (content.type) {
      case "text":
        return answerText({ text: content.text, name }, conversation, dependencies, tools.signal);
      case "voice":
        return answerVoiceNote(
          { messageId: id, mediaId: content.mediaId, name },
          conversation,
          dependencies,
          tools,
        );
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
    return tools.isFirst
      ? { outputs: [...outputs, welcomeList], changes: { ...changes, isFirst: true } }
      : { outputs, changes };
  };
};

/** Plans the apology for a message that could not be answered in all its tries. */
export const planApology: Planner = () => plan(apology("broken"));
