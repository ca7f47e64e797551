import { findLanguage, type Language } from "./languages.ts";

/** The model of transcription. Followed by a colon and a language it stands for that language's transcription. */
export const transcriptionModel = "stt-51";

/** The model of speech. */
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

/** A model of transcription as a request names it. */
export interface NamedTranscriptionModel {
  /** The one language that it names; `undefined` when it is the model of all. */
  readonly language: Language | undefined;
}

/** Looks up a model of transcription; `undefined` when there is none of that name. */
export const findTranscriptionModel = (name: string): NamedTranscriptionModel | undefined => {
  if ((otherNames[name] ?? name) === transcriptionModel) return { language: undefined };
  const [model, ...rest] = name.split(":");
  const language = model === transcriptionModel ? findLanguage(rest.join(":"), "transcription") : undefined;
  return language && { language };
};

/** Whether a name means the model of speech. */
export const isSpeechModel = (name: string): boolean => (otherNames[name] ?? name) === speechModel;
