import type { Segment, Transcription } from "../../shared/models/inference/transcription.ts";
import type { Diarization } from "./transcription-contract.ts";

/** Who said what, in the two forms of version 1. */
export interface FormattedDiarization {
  readonly diarization_output: Diarization;
  readonly formatted_diarization_output: string;
}

type SpokenSegment = Segment & { readonly speaker: string };

const isSpoken = (segment: Segment): segment is SpokenSegment => segment.speaker !== undefined;

/** Renames the speakers as in version 1, in the order of their first words. Names of models' servers differ. */
const nameSpeakers = (segments: readonly SpokenSegment[]): SpokenSegment[] => {
  const known = [...new Set(segments.map(({ speaker }) => speaker))];
  const name = (speaker: string) => `SPEAKER_${String(known.indexOf(speaker)).padStart(2, "0")}`;
  return segments.map((segment) => ({ ...segment, speaker: name(segment.speaker) }));
};

const joinTurns = (segments: readonly SpokenSegment[]): SpokenSegment[] => {
  const turns: SpokenSegment[] = [];
  for (const segment of segments) {
    const last = turns.at(-1);
    if (last?.speaker !== segment.speaker) turns.push(segment);
    else turns[turns.length - 1] = { ...last, end: segment.end, text: `${last.text} ${segment.text}` };
  }
  return turns;
};

/** Formats the speakers of a transcription as version 1 did; `undefined` when the model does not identify them. */
export const formatDiarization = ({ text, segments }: Transcription): FormattedDiarization | undefined => {
  const spoken = nameSpeakers(segments?.filter(isSpoken) ?? []);
  if (spoken.length === 0) return undefined;
  return {
    diarization_output: {
      text,
      chunks: spoken.map((segment) => ({
        speaker: segment.speaker,
        text: segment.text,
        timestamp: [segment.start, segment.end],
      })),
    },
    formatted_diarization_output: joinTurns(spoken)
      .map(
        ({ speaker, start, end, text: said }) =>
          `**${speaker}**\n(${start.toFixed(2)}) ${said} (${end.toFixed(2)})`,
      )
      .join("\n"),
  };
};
