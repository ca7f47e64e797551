import * as z from "zod";
import type { Segment, SegmentDetails, Transcription, Word } from "../transcription.ts";
import { failureIn } from "./chat-completion.ts";
import { jsonOrText } from "./server-words.ts";

/** What models of the Whisper family report about a segment: all of it, or nothing. */
const wireDetails = z
  .object({
    seek: z.int(),
    tokens: z.array(z.int()),
    temperature: z.number(),
    avg_logprob: z.number(),
    compression_ratio: z.number(),
    no_speech_prob: z.number(),
  })
  .transform(
    (details): SegmentDetails => ({
      seek: details.seek,
      tokens: details.tokens,
      temperature: details.temperature,
      averageLogProbability: details.avg_logprob,
      compressionRatio: details.compression_ratio,
      noSpeechProbability: details.no_speech_prob,
    }),
  );

/** An end is never before its start, and neither is before the recording. */
const timesOf = ({ start, end }: { readonly start: number; readonly end: number }) => ({
  start: Math.max(0, start),
  end: Math.max(0, start, end),
});

const wireSegment = z
  .looseObject({
    start: z.number(),
    end: z.number(),
    text: z.string(),
    speaker: z.string().min(1).nullish().catch(undefined),
  })
  .transform((wire): Segment => {
    const details = wireDetails.safeParse(wire).data;
    return {
      ...timesOf(wire),
      text: wire.text.trim(),
      ...(wire.speaker == null ? {} : { speaker: wire.speaker }),
      ...(details ? { details } : {}),
    };
  });

const wireWord = z
  .object({ start: z.number(), end: z.number(), word: z.string() })
  .transform((wire): Word => ({ ...timesOf(wire), text: wire.word.trim() }));

const wireTranscription = z.object({
  text: z.string(),
  // Times that make no sense are as good as none. `duration`, which some servers send as a string, is measured here.
  segments: z.array(wireSegment).nullish().catch(undefined),
  words: z.array(wireWord).nullish().catch(undefined),
  // Some servers report failures with status 200.
  error: z.null().optional(),
});

/** Reads the body of a whole transcription. @throws AppError when it has none, or reports a failure. */
export const parseTranscription = (body: string): Transcription => {
  const response = jsonOrText(body);
  const { data, error } = wireTranscription.safeParse(response);
  if (!data) throw failureIn(response, error);
  const words = data.words?.filter(({ text }) => text !== "");
  return {
    text: data.text.trim(),
    segments: data.segments?.filter(({ text }) => text !== ""),
    ...(words ? { words } : {}),
  };
};
