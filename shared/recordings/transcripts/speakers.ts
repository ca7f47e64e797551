import type { Segment } from "../../models/inference/transcription.ts";
import type { LabelledSpeaker, TranscribedPart } from "./tokens.ts";

const letters = 26;

/** `A` to `Z`, then `AA`. */
const labelOf = (index: number): string =>
  (index < letters ? "" : labelOf(Math.floor(index / letters) - 1)) +
  String.fromCharCode("A".charCodeAt(0) + (index % letters));

const speakersIn = (segments: readonly Segment[]): string[] => [
  ...new Set(segments.flatMap(({ speaker }) => (speaker === undefined ? [] : [speaker]))),
];

const renamed = (segments: readonly Segment[], labels: ReadonlyMap<string, string>): Segment[] =>
  segments.map(({ speaker, ...segment }) => {
    const label = speaker === undefined ? undefined : labels.get(speaker);
    return label === undefined ? segment : { ...segment, speaker: label };
  });

const labelsOf = (segments: readonly Segment[]): ReadonlyMap<string, string> =>
  new Map(speakersIn(segments).map((speaker, index) => [speaker, labelOf(index)]));

/** Names speakers by letters, in the order of their first words. */
export const nameSpeakers = (segments: readonly Segment[]): Segment[] =>
  renamed(segments, labelsOf(segments));

/** Segments with the name of their speaker in front where it changes. @param nameOf what a speaker is called. */
export const speakerTurns = (
  segments: readonly { readonly speaker?: string | undefined; readonly text: string }[],
  nameOf: (speaker: string) => string = (speaker) => speaker,
): string[] => {
  const turns: { speaker: string | undefined; texts: string[] }[] = [];
  for (const { speaker, text } of segments) {
    const last = turns.at(-1);
    if (last && last.speaker === speaker) last.texts.push(text);
    else turns.push({ speaker, texts: [text] });
  }
  return turns.map(({ speaker, texts }) => {
    const said = texts.filter((text) => text !== "").join(" ");
    return speaker === undefined ? said : `${nameOf(speaker)}: ${said}`;
  });
};

/** The text of a transcript, with a line for each turn where several people speak. */
export const conversationText = ({
  text,
  segments = [],
}: {
  readonly text: string;
  readonly segments?: readonly Segment[] | undefined;
}): string => {
  const named = nameSpeakers(segments);
  return speakersIn(named).length > 1 ? speakerTurns(named).join("\n") : text;
};

/** Two parts show who is who only where a person speaks in both for this long. */
const minSharedSeconds = 0.5;

/** How many times as long two speakers must speak together as either of them with another one. */
const minAdvantage = 2;

/** The seconds in which a part's speakers speak at the same time as those of the part before it, where both overlap. */
const sharedSeconds = (before: TranscribedPart, part: TranscribedPart) => {
  const seconds = new Map<string, Map<string, number>>();
  for (const one of part.segments ?? []) {
    for (const other of before.segments ?? []) {
      if (one.speaker === undefined || other.speaker === undefined) continue;
      const start = Math.max(part.start + one.start, before.start + other.start, part.start);
      const end = Math.min(part.start + one.end, before.start + other.end, before.end);
      if (end <= start) continue;
      const own = seconds.get(one.speaker) ?? new Map<string, number>();
      seconds.set(one.speaker, own.set(other.speaker, (own.get(other.speaker) ?? 0) + end - start));
    }
  }
  return seconds;
};

/** The speakers of a part who certainly are speakers of the part before it, by their names there. */
const sameSpeakers = (before: TranscribedPart, part: TranscribedPart): Map<string, string> => {
  const shared = sharedSeconds(before, part);
  const pairs = [...shared].flatMap(([name, others]) =>
    [...others].map(([other, seconds]) => ({ name, other, seconds })),
  );
  const isCertain = ({ name, other, seconds }: (typeof pairs)[number]): boolean =>
    seconds >= minSharedSeconds &&
    pairs.every(
      (pair) => (pair.name === name) === (pair.other === other) || pair.seconds * minAdvantage <= seconds,
    );
  return new Map(pairs.filter(isCertain).map(({ name, other }) => [name, other]));
};

/**
 * Names the speakers of overlapping parts, whose names differ between parts, so that a person has one name throughout. Where that is not
 * certain, a new name begins.
 *
 * @param parts in the order of the recording.
 */
export const matchSpeakers = (
  parts: readonly TranscribedPart[],
): { readonly parts: readonly TranscribedPart[]; readonly uncertain: ReadonlySet<string> } => {
  const known: string[] = [];
  const uncertain = new Set<string>();
  const matched: TranscribedPart[] = [];
  for (const part of parts) {
    const before = matched.at(-1);
    const labels = before ? sameSpeakers(before, part) : new Map<string, string>();
    const isNewPerson = new Set(labels.values()).size === known.length;
    for (const speaker of speakersIn(part.segments ?? [])) {
      if (labels.has(speaker)) continue;
      const label = labelOf(known.length);
      known.push(label);
      labels.set(speaker, label);
      const wasCertain = part.speakers?.find((each) => each.label === speaker)?.is_certain ?? true;
      if (!isNewPerson || !wasCertain) uncertain.add(label);
    }
    matched.push(part.segments ? { ...part, segments: renamed(part.segments, labels) } : part);
  }
  return { parts: matched, uncertain };
};

/** Names the speakers of a whole recording in the order of their first words that remain. */
export const labelSpeakers = (
  segments: readonly Segment[],
  uncertain: ReadonlySet<string>,
): { readonly segments: readonly Segment[]; readonly speakers?: readonly LabelledSpeaker[] } => {
  const labels = labelsOf(segments);
  if (labels.size === 0) return { segments };
  return {
    segments: renamed(segments, labels),
    speakers: [...labels].map(([speaker, label]) => ({ label, is_certain: !uncertain.has(speaker) })),
  };
};
