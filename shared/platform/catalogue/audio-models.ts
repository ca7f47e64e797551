import { findLanguage, type Language } from "./languages.ts";

/** The model of transcription. `stt-51:lug` selects one language. */
export const transcriptionModel = "stt-51";

export const speechModel = "tts-20";

/** OpenAI's names of its models: clients have them built in, and the task is clear. */
const otherNames: Readonly<Record<string, string>> = {
  "whisper-1": transcriptionModel,
  "gpt-4o-transcribe": transcriptionModel,
  "gpt-4o-mini-transcribe": transcriptionModel,
  "gpt-4o-transcribe-diarize": transcriptionModel,
  "gpt-transcribe": transcriptionModel,
  "tts-1": speechModel,
  "tts-1-hd": speechModel,
  "gpt-4o-mini-tts": speechModel,
};

/** The model that a name means. OpenAI's may have the date of a version at their end. */
const modelOf = (name: string): string =>
  otherNames[name] ?? otherNames[name.replace(/-\d{4}-\d{2}-\d{2}$/, "")] ?? name;

/**
 * Looks up a model of transcription by the name in a request; `undefined` when there is none.
 *
 * @returns the one language that the name selects; `undefined` for the model of all languages.
 */
export const findTranscriptionModel = (name: string): { language: Language | undefined } | undefined => {
  if (modelOf(name) === transcriptionModel) return { language: undefined };
  const [model, ...rest] = name.split(":");
  const language = model === transcriptionModel ? findLanguage(rest.join(":"), "transcription") : undefined;
  return language && { language };
};

/** Whether a name means the model of speech. */
export const isSpeechModel = (name: string): boolean => modelOf(name) === speechModel;
