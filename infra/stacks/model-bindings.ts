import type { Secret } from "aws-cdk-lib/aws-secretsmanager";
import { plainBinding, secretBinding } from "../constructs/bindings.ts";
import type { StageSettings } from "../stages.ts";

/** The variables through which functions find the models, by task: several functions use the same models. */
export const modelBindings = (
  { chat, speech, transcription, translation }: StageSettings["inference"],
  inferenceKeys: Pick<Secret, "secretArn">,
) => {
  const keys = { INFERENCE_KEYS_SECRET_ID: secretBinding(inferenceKeys) };
  return {
    chat: {
      ...keys,
      CHAT_BASE_URL: plainBinding(chat.baseUrl),
      CHAT_MODEL_14B: plainBinding(chat.models["14b"]),
      CHAT_MODEL_9B: plainBinding(chat.models["9b"]),
      CHAT_MODEL_14B_THINKS_FIRST: plainBinding(String(chat.thinksFirst["14b"])),
      CHAT_MODEL_9B_THINKS_FIRST: plainBinding(String(chat.thinksFirst["9b"])),
      CHAT_TIMEOUT_MS: plainBinding(chat.timeoutMilliseconds),
    },
    translation: {
      ...keys,
      TRANSLATION_BASE_URL: plainBinding(translation.baseUrl),
      TRANSLATION_MODEL: plainBinding(translation.model),
      TRANSLATION_TIMEOUT_MS: plainBinding(translation.timeoutMilliseconds),
    },
    transcription: {
      ...keys,
      TRANSCRIPTION_BASE_URL: plainBinding(transcription.baseUrl),
      TRANSCRIPTION_MODEL: plainBinding(transcription.model),
      TRANSCRIPTION_TIMEOUT_MS: plainBinding(transcription.timeoutMilliseconds),
    },
    speech: {
      ...keys,
      SPEECH_BASE_URL: plainBinding(speech.baseUrl),
      SPEECH_MODEL: plainBinding(speech.model),
      SPEECH_TIMEOUT_MS: plainBinding(speech.timeoutMilliseconds),
    },
  };
};
