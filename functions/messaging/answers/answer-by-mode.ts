import type { Conversation } from "../conversation/conversation.ts";
import { type Output, say } from "../output.ts";
import type { Changes } from "../plan.ts";
import { guardOutput } from "../text/guard-output.ts";
import { apology } from "../wording.ts";
import { answerChat } from "./answer-chat.ts";
import { type AnswerDependencies, languageOf, modelFailure, spoken, voiceReply } from "./planning.ts";

/** Words to be answered, whether they were written or spoken. */
export interface Words {
  readonly text: string;
  /** Of the person, as they call themselves. */
  readonly name: string | undefined;
}

/** The answer to words, and what is remembered of it; an apology is not remembered. */
export interface WordsAnswer {
  readonly outputs: Output[];
  readonly exchange?: NonNullable<Changes["exchange"]>;
}

const chatOrTranslate = async (
  { text, name }: Words,
  conversation: Conversation,
  dependencies: AnswerDependencies,
  signal: AbortSignal,
): Promise<string | undefined> => {
  const { settings } = conversation;
  if (settings.mode === "chat") return answerChat(text, name, conversation, dependencies, signal);
  const targetLanguage = languageOf(settings).name;
  const request = { text, sourceLanguage: undefined, targetLanguage };
  return guardOutput((await dependencies.translator.translate(request, { signal })).text);
};

/** Answers words as the person's mode says: a model's reply, a translation, or the text read aloud. */
export const answerByMode = async (
  words: Words,
  conversation: Conversation,
  dependencies: AnswerDependencies,
  signal: AbortSignal,
): Promise<WordsAnswer> => {
  const { settings } = conversation;
  const { canSpeak } = dependencies;
  if (settings.mode === "speak") return { outputs: [spoken(words.text, settings, canSpeak)] };
  try {
    const answer = await chatOrTranslate(words, conversation, dependencies, signal);
    if (answer === undefined) return { outputs: [apology("no-answer")] };
    return {
      outputs: [say(answer), ...voiceReply(answer, settings, canSpeak)],
      exchange: { question: words.text, answer },
    };
  } catch (error) {
    return { outputs: [apology(modelFailure(error, settings.mode, signal))] };
  }
};
