import type { SpeechRequest } from "../../shared/inference/speech.ts";
import type { ChosenVoice } from "./choose-voice.ts";
import type { SpeechItem } from "./contract.ts";

/** What the synthesizer is asked for, from what a caller asked for and the voice chosen for it. */
export const toSpeechRequest = (item: SpeechItem, { voice, language }: ChosenVoice): SpeechRequest => ({
  text: item.text,
  voice,
  language: item.language == null ? undefined : language,
  sampling: {
    temperature: item.temperature ?? undefined,
    topP: item.top_p ?? undefined,
    repetitionPenalty: item.repetition_penalty ?? undefined,
    maximumTokens: item.max_tokens ?? undefined,
    seed: item.seed ?? undefined,
  },
});
