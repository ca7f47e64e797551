import { readCommand } from "../commands/read-command.ts";
import type { Conversation } from "../conversation/conversation.ts";
import { say } from "../output.ts";
import type { Plan } from "../plan.ts";
import { wording } from "../wording.ts";
import { answerByMode, type Words } from "./answer-by-mode.ts";
import { carryOutCommand } from "./carry-out-command.ts";
import { type AnswerDependencies, answer, plan } from "./planning.ts";

/** An emoji, a dot or a single letter says too little to answer. */
const saysSomething = (text: string): boolean => (text.match(/[\p{L}\p{N}]/gu) ?? []).length >= 2;

/** Answers a text: does what it commands, or what the person's mode says. */
export const answerText = async (
  words: Words,
  conversation: Conversation,
  dependencies: AnswerDependencies,
  signal: AbortSignal,
): Promise<Plan> => {
  const command = readCommand(words.text);
  if (command) return carryOutCommand(command, words.name, conversation, dependencies);
  if (!saysSomething(words.text)) return answer(wording.nudge);
  const { mode } = conversation.settings;
  if (mode === "transcribe") return answer(wording.sendVoiceNote);
  const { outputs, exchange } = await answerByMode(words, conversation, dependencies, signal);
  return plan(mode === "speak" ? [say(words.text), ...outputs] : outputs, exchange ? { exchange } : {});
};
