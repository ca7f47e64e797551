import { deflateSync } from "node:zlib";
import { Reply } from "../../../shared/http/response.ts";
import type { Certainty, Segment, Transcription } from "../../../shared/models/inference/transcription.ts";
import { findLanguage, type Language, shortestCode } from "../../../shared/platform/catalogue/languages.ts";
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
  /** How much audio models have transcribed: more than the recording where languages were tried. */
  readonly transcribedSeconds: number;
  readonly transcription: Transcription;
  readonly temperature: number | undefined;
}

/** The code of ISO 639 for an undetermined language. */
const undetermined = "und";

export const codeInResponse = (language: Language | undefined): string =>
  language ? shortestCode(language) : undetermined;

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
  ({ start, end, text, details, ...others }: Segment, id: number) => ({
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
    ...languageOf(others),
    ...certaintyOf(others),
  });

const usageOf = ({ transcribedSeconds }: HeardRecording) => ({
  type: "duration" as const,
  seconds: transcribedSeconds,
});

/** The language of a segment where the recording changes it. */
const languageOf = ({ language }: Pick<Segment, "language">) =>
  language === undefined ? {} : { language: codeInResponse(findLanguage(language)) };

/** The language of a recording, if the request does not name it. */
const detectedIn = ({ isDetected, language }: HeardRecording) => (isDetected ? { language } : {});

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
    usage: usageOf(heard),
  };
};

const toDiarized = (heard: HeardRecording): DiarizedTranscript => ({
  task: "transcribe",
  ...detectedIn(heard),
  duration: heard.durationSeconds,
  text: heard.transcription.text,
  segments: nameSpeakers(segmentsOf(heard.transcription, heard.durationSeconds)).map(
    ({ start, end, text, speaker = "unknown", ...others }, index) => ({
      type: "transcript.text.segment",
      id: `seg_${index}`,
      start,
      end,
      speaker,
      text,
      ...languageOf(others),
      ...certaintyOf(others),
    }),
  ),
  ...wholeCertainty(heard.transcription),
  usage: usageOf(heard),
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
        ...detectedIn(heard),
        ...wholeCertainty(transcription),
        usage: usageOf(heard),
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
