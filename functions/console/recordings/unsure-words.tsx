import type { Word } from "../../../shared/models/inference/transcription.ts";
import { fill } from "../../../shared/pages/texts/languages.ts";
import { useFrame } from "../../../shared/pages/view/frame.ts";
import type { JobResult, JobSegment } from "../../../shared/recordings/jobs/job-result.ts";

/** Below this, one word in three is probably wrong. */
const minConfidence = 0.67;

/** How sure a whole transcript is. */
export type TranscriptCertainty = Pick<JobResult, "confidence" | "reasons">;

type Played = Pick<Word, "start" | "end" | "text"> & { readonly confidence?: number | undefined };

const percentOf = (confidence: number): number => Math.round(100 * confidence);

/** Words or a segment: a button that plays them if they are unsure. */
const Played = ({ start, end, text, confidence = 1 }: Played) => {
  const words = useFrame().texts.recordings;
  if (confidence >= minConfidence) return <>{text}</>;
  const title = fill(words.unsureWord, { percent: percentOf(confidence) });
  return (
    <button type="button" class="unsure" data-start={start} data-end={end} title={title}>
      {text}
    </button>
  );
};

/** The words of a segment, where the model reports them and how sure they are. */
const wordsWithin = ({ start, end, text }: JobSegment, words: readonly Word[]): Played[] => {
  const own = words.filter((word) => word.start + word.end >= 2 * start && word.start + word.end <= 2 * end);
  const said = text.split(/\s+/u).filter((word) => word !== "");
  const isKnown = own.length === said.length && own.every(({ confidence }) => confidence !== undefined);
  return isKnown ? own.map((word, index) => ({ ...word, text: said[index] ?? word.text })) : [];
};

/** The text of a segment. What is unsure is underlined and can be heard; a keyword that was probably said is next to it. */
export const SaidText = ({
  segment,
  words,
}: {
  readonly segment: JobSegment;
  readonly words: readonly Word[];
}) => {
  const { recordings: texts } = useFrame().texts;
  const own = wordsWithin(segment, words);
  return (
    <>
      {own.length === 0 ? (
        <Played {...segment} />
      ) : (
        own.map((word, index) => (
          <>
            {index > 0 && " "}
            <Played {...word} />
          </>
        ))
      )}
      {segment.alternatives?.map((text) => (
        <em key={text} class="hint">
          {" "}
          {fill(texts.perhaps, { text })}
        </em>
      ))}
    </>
  );
};

/** How sure a transcript is, and why not more; nothing where that is not known. */
export const TranscriptConfidence = ({ confidence, reasons = [] }: TranscriptCertainty) => {
  const { recordings: texts } = useFrame().texts;
  if (confidence === undefined) return null;
  return (
    <p class="soft">
      {[
        fill(texts.confidence, { percent: percentOf(confidence) }),
        ...reasons.map((reason) => texts.reasons[reason]),
        texts.unsureWords,
      ].join(" ")}
    </p>
  );
};
