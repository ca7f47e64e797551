import type { Conversation } from "../conversation/conversation.ts";
import { ratingList } from "../menus.ts";
import type { Plan } from "../plan.ts";
import { plan } from "./planning.ts";

/** Keeps a reaction together with the answer it was given to, if that is remembered, and asks for more. */
export const answerReaction = (
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
