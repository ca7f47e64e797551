import { deflateSync } from "node:zlib";
import { Reply } from "../../../shared/http/response.ts";
import type { Certainty, Segment, Transcription } from "../../../shared/models/inference/transcription.ts";
import { nameSpeakers } from "../../../shared/recordings/transcripts/speakers.ts";
import { toSubRip, toWebVtt } from "../../../shared/recordings/transcripts/subtitles.ts";
import { segmentsOf, wordsOf } from "../transcribe.ts";
import type { Granularity, TranscriptFormat } from "./contract.ts";
import type { DiarizedTranscript, Transcript, VerboseTranscript } from "./transcript.ts";

/** A transcribed recording. */
export interface HeardRecording {
  readonly task: VerboseTranscript["task"];
  /** As in responses. */
  readonly language: string;
  /** Whether the model detected the language. */
  readonly isDetected?: boolean;
  readonly durationSeconds: number;
  readonly transcription: Transcription;
  readonly temperature: number | undefined;
}

/** As Whisper measures it: how much zlib compresses a text. A high value indicates repetition. */
const compressionRatio = (text: string): number => {
  const bytes = Buffer.from(text);
  return bytes.length === 0 ? 0 : bytes.length / deflateSync(bytes).length;
};

/** What the contract has of how sure a text is. */
const certaintyOf = ({ probability, confidence, alternatives }: Certainty) => ({
  ...(confidence === undefined ? {} : { confidence }),
  ...(probability === undefined ? {} : { probability }),
  ...(alternatives ? { alternatives: [...alternatives] } : {}),
});

const wholeCertainty = ({ confidence, reasons = [] }: Transcription) =>
  confidence === undefined ? {} : { confidence, reasons: [...reasons] };

/** Clients require all ten fields of a segment, even those that the model does not report. */
const toVerboseSegment =
  (temperature: number | undefined) =>
  ({ start, end, text, details, ...certainty }: Segment, id: number) => ({
    id,
    seek: details?.seek ?? 0,
    start,
    end,
    text,
    tokens: [...(details?.tokens ?? [])],
    temperature: details?.temperature ?? temperature ?? 0,
    avg_logprob: details?.averageLogProbability ?? 0,
    compression_ratio: details?.compressionRatio ?? compressionRatio(text),
    no_speech_prob: details?.noSpeechProbability ?? 0,
    ...certaintyOf(certainty),
  });

const toVerbose = (heard: HeardRecording, granularities: readonly Granularity[]): VerboseTranscript => {
  const { task, language, durationSeconds, transcription, temperature } = heard;
  const words = wordsOf(transcription, durationSeconds)?.map(({ start, end, text, ...certainty }) => ({
    ...{ word: text, start, end },
    ...certaintyOf(certainty),
  }));
  return {
    task,
    language,
    duration: durationSeconds,
    text: transcription.text,
    ...(granularities.includes("segment")
      ? { segments: segmentsOf(transcription, durationSeconds).map(toVerboseSegment(temperature)) }
      : {}),
    ...(granularities.includes("word") && words ? { words } : {}),
    ...wholeCertainty(transcription),
    usage: { type: "duration", seconds: durationSeconds },
  };
};

const toDiarized = ({ durationSeconds, transcription }: HeardRecording): DiarizedTranscript => ({
  task: "transcribe",
  duration: durationSeconds,
  text: transcription.text,
  segments: nameSpeakers(segmentsOf(transcription, durationSeconds)).map(
    ({ start, end, text, speaker = "unknown", ...certainty }, index) => ({
      type: "transcript.text.segment",
      id: `seg_${index}`,
      start,
      end,
      speaker,
      text,
      ...certaintyOf(certainty),
    }),
  ),
  ...wholeCertainty(transcription),
  usage: { type: "duration", seconds: durationSeconds },
});

/** A transcription in the requested format. Subtitles use the times of words if the model reports them. */
export const formatTranscript = (
  format: TranscriptFormat,
  heard: HeardRecording,
  granularities: readonly Granularity[] = ["segment"],
): Transcript | Reply => {
  const { durationSeconds, transcription } = heard;
  const timed = () => ({
    segments: segmentsOf(transcription, durationSeconds),
    words: wordsOf(transcription, durationSeconds),
  });
  switch (format) {
    case "json":
      return {
        text: transcription.text,
        ...(heard.isDetected ? { language: heard.language } : {}),
        ...wholeCertainty(transcription),
        usage: { type: "duration", seconds: durationSeconds },
      };
    case "verbose_json":
      return toVerbose(heard, granularities);
    case "diarized_json":
      return toDiarized(heard);
    case "text":
      return new Reply({ contentType: "text/plain; charset=utf-8", body: `${transcription.text}\n` });
    case "srt":
      return new Reply({ contentType: "application/x-subrip; charset=utf-8", body: toSubRip(timed()) });
    case "vtt":
      return new Reply({ contentType: "text/vtt; charset=utf-8", body: toWebVtt(timed()) });
  }
};
