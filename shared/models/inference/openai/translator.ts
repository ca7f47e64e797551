import { defaultSystemMessage } from "../chat.ts";
import type { TranslationRequest, Translator } from "../translation.ts";
import { type Backends, unusable } from "./backend.ts";
import { openModelServer } from "./call-policy.ts";
import { completeChat } from "./chat-completion.ts";

/** Room for the reply: languages that models know little need up to two tokens a character. */
const maxTokens = (text: string): number => Math.max(1_024, 2 * [...text].length);

/** The instruction, in the words the models were trained with. Naming the source helps them. */
export const translationInstruction = ({
  text,
  sourceLanguage,
  targetLanguage,
}: TranslationRequest): string =>
  `Translate ${sourceLanguage ? `from ${sourceLanguage} ` : ""}to ${targetLanguage}: ${text}`;

/** What the model must know beyond its instruction, whose words stay those of its training. */
const systemMessage = ({ keep, context }: TranslationRequest): string =>
  [
    defaultSystemMessage,
    ...(keep?.length
      ? [
          `The text has the tags ${keep.join(" ")}. Repeat each of them exactly once in the translation, around the ` +
            "words that it belongs to. Respond with the translation only, in one line.",
        ]
      : keep
        ? ["Respond with the translation only, in one line."]
        : []),
    ...(context ? [`What follows is only the context of the text. Do not translate it.\n${context}`] : []),
  ].join("\n\n");

/** A translator behind servers that speak the OpenAI HTTP API. @param model their name for it, unless a server has its own. */
export const createOpenAiTranslator = (backends: Backends, model: string): Translator => {
  const server = openModelServer(backends, "translation");
  return {
    translate: async (request, options) => {
      const completion = await completeChat(
        server,
        ({ backend }) => ({
          model: backend.model ?? model,
          messages: [
            { role: "system", content: systemMessage(request) },
            { role: "user", content: translationInstruction(request) },
          ],
          temperature: 0.3,
          top_p: 0.95,
          max_tokens: maxTokens(request.text),
        }),
        options,
      );
      if (completion.finishReason === "length")
        throw unusable("The translation was cut short; send a shorter text.");
      return { text: completion.text, usage: completion.usage };
    },
  };
};
