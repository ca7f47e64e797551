import { AppError } from "../../shared/errors/app-error.ts";
import type { SpeechItem } from "../speech/contract.ts";
import type { Asking, SpeechDependencies } from "../speech/dependencies.ts";
import { synthesizeSpeech } from "../speech/synthesize-speech.ts";
import { requireSpeaker } from "./speakers.ts";
import type { JobRequest, JobResponse } from "./speech-contract.ts";

const longestJobCharacters = 10_000;

/** What the model takes for each chunk of a text. Version 1 counted for the text as a whole, and took any number. */
const tokensInBounds = (tokens: number): number => Math.min(Math.max(tokens, 64), 4_096);

/** Turns a text into stored speech, in the shapes of a job. @throws AppError `bad_request` for a text without end or beginning. */
export const synthesizeJob = async (
  { text, speaker_id, temperature, max_new_audio_tokens: tokens }: JobRequest,
  asking: Asking,
  dependencies: SpeechDependencies,
): Promise<JobResponse> => {
  const startedAt = performance.now();
  const spoken = text.trim();
  if (spoken === "" || [...spoken].length > longestJobCharacters) {
    throw new AppError("bad_request", {
      message: `The text must have 1 to ${longestJobCharacters} characters.`,
      param: "text",
    });
  }
  const item: SpeechItem = {
    text: spoken,
    language: requireSpeaker(speaker_id).languageCode,
    temperature,
    max_tokens: tokens === undefined ? undefined : tokensInBounds(tokens),
  };
  const speech = await synthesizeSpeech(item, asking, dependencies);
  return {
    output: {
      audio_url: speech.audio_url,
      blob: speech.storage_object,
      sample_rate: speech.sample_rate,
      duration_seconds: speech.duration_seconds,
      format: "wav",
      speaker_id,
      processing_time: Math.round(performance.now() - startedAt) / 1_000,
    },
  };
};
