import { findLanguage, type Language } from "./languages.ts";

/** The model of transcription. `stt-51:lug` selects one language. */
export const transcriptionModel = "stt-51";

export const speechModel = "tts-20";

/** OpenAI's names of its models: clients have them built in, and the task is clear. */
const otherNames: Readonly<Record<string, string>> = {
  "whisper-1": transcriptionModel,
  "gpt-4o-transcribe": transcriptionModel,
  "gpt-4o-mini-transcribe": transcriptionModel,
  "tts-1": speechModel,
  "tts-1-hd": speechModel,
  "gpt-4o-mini-tts": speechModel,
};

/**
 * Looks up a model of transcription by the name in a request; `undefined` when there is none.
 *
 * @returns the one language that the name selects; `undefined` for the model of all languages.
 */
export const findTranscriptionModel = (name: string): { language: Language | undefined } | undefined => {
  if ((otherNames[name] ?? name) === transcriptionModel) return { language: undefined };
  const [model, ...rest] = name.split(":");
  const language = model === transcriptionModel ? findLanguage(rest.join(":"), "transcription") : undefined;
  return language && { language };
};

/** Whether a name means the model of speech. */
export const isSpeechModel = (name: string): boolean => (otherNames[name] ?? name) === speechModel;
