import { capitalise } from "../../phrasebook/wording.ts";
import { disclosure } from "../disclosure.ts";
import { takeGreetings } from "../greeting.ts";
import type { Skill } from "../skill.ts";

/** Answers a message that is nothing but greetings and thanks, in the language it is in. */
export const greetBack: Skill = ({ message }) => {
  const { language, replies, rest } = takeGreetings(message);
  if (language === undefined || rest !== "") return undefined;
  const spoken = replies.map((reply) => capitalise((reply[language] ?? reply.eng)[0]));
  const sentences = Array.from(new Set(spoken), (wording) =>
    wording.endsWith("?") ? wording : `${wording}.`,
  );
  return `${sentences.join(" ")} ${disclosure} You can ask me: How do you say "thank you" in Swahili?`;
};
