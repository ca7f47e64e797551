import { Reply } from "../../shared/http/reply.ts";
import type { SpeechItem } from "../speech/contract.ts";
import type { Asking, SpeechDependencies } from "../speech/dependencies.ts";
import { openStoredStream, streamOnly } from "../speech/stream-speech.ts";
import { synthesizeSpeech } from "../speech/synthesize-speech.ts";
import { requireSpeaker, type Speaker } from "./speakers.ts";
import type { SpokenRequest, SpokenResponse } from "./speech-contract.ts";
import { writeAudioEvents } from "./write-audio-events.ts";

const toItem = ({ text }: SpokenRequest, { languageCode }: Speaker): SpeechItem => ({
  text,
  language: languageCode,
});

const lengthOf = (text: string): number => [...text].length;

const speakerHeaders = ({ text }: SpokenRequest, { id, display_name }: Speaker): Record<string, string> => ({
  "X-Speaker-ID": String(id),
  "X-Speaker-Name": display_name,
  "X-Text-Length": String(lengthOf(text)),
});

const wordsPerMinute = 150;

const estimateSeconds = (text: string): number =>
  Math.round((text.split(/\s+/).length / wordsPerMinute) * 60 * 100) / 100;

const speakToLink = async (
  request: SpokenRequest,
  asking: Asking,
  dependencies: SpeechDependencies,
): Promise<SpokenResponse> => {
  const speaker = requireSpeaker(request.speaker_id);
  const speech = await synthesizeSpeech(toItem(request, speaker), asking, dependencies);
  return {
    success: true,
    audio_url: speech.audio_url,
    expires_at: speech.audio_url_expires_at,
    file_name: speech.storage_object,
    duration_estimate_seconds: estimateSeconds(request.text),
    text_length: lengthOf(request.text),
    speaker_id: speaker.id,
    speaker_name: speaker.display_name,
  };
};

/** Speaks a text while the sound is made. */
export const speakToStream = async (
  request: SpokenRequest,
  asking: Asking,
  dependencies: SpeechDependencies,
): Promise<Reply> => {
  const speaker = requireSpeaker(request.speaker_id);
  const { contentType, headers, body } = await streamOnly(toItem(request, speaker), asking, dependencies);
  return new Reply({
    contentType,
    headers: {
      ...headers,
      ...speakerHeaders(request, speaker),
      "Content-Disposition": 'attachment; filename="tts_output.wav"',
    },
    body,
  });
};

/** Speaks a text in server-sent events while the sound is made, and stores it. */
export const speakInEvents = async (
  request: SpokenRequest,
  asking: Asking,
  dependencies: SpeechDependencies,
): Promise<Reply> => {
  const speaker = requireSpeaker(request.speaker_id);
  const stream = await openStoredStream(toItem(request, speaker), asking, dependencies);
  return new Reply({
    contentType: "text/event-stream; charset=utf-8",
    headers: { ...speakerHeaders(request, speaker), "Cache-Control": "no-cache, no-transform" },
    body: writeAudioEvents(stream),
  });
};

const speakInMode = { url: speakToLink, stream: speakToStream, both: speakInEvents } as const;

/** Speaks a text as its `response_mode` says. */
export const speak = (
  request: SpokenRequest,
  asking: Asking,
  dependencies: SpeechDependencies,
): Promise<Reply | SpokenResponse> => speakInMode[request.response_mode](request, asking, dependencies);
