import type * as z from "zod";
import type { Word } from "../../../shared/models/inference/transcription.ts";
import { sentTo } from "../../../shared/pages/server/sent-form.ts";
import type { Visit } from "../../../shared/pages/server/visit.ts";
import { Facts, Notice, PageHead, Trail } from "../../../shared/pages/view/components.tsx";
import { dayOf, momentOf } from "../../../shared/pages/view/dates.ts";
import { Form } from "../../../shared/pages/view/forms.tsx";
import { useFrame } from "../../../shared/pages/view/frame.ts";
import { Icon } from "../../../shared/pages/view/icons.tsx";
import {
  fileNameOf,
  hasTranscript,
  isOver,
  type StoredTranscription,
} from "../../../shared/recordings/jobs/job.ts";
import type { JobResult, JobSegment, resultFormats } from "../../../shared/recordings/jobs/job-result.ts";
import { clockOf } from "./clock.ts";
import { JobProgress, JobState, stateOf, useFollowed, wholeSeconds } from "./job-state.tsx";
import { nameOfLanguage, tagOf } from "./language-names.ts";
import { partSeconds, type recordingPage } from "./pages.ts";
import { colourOf, SpeakerName, SpeakerNames, type Speakers } from "./speakers.tsx";
import { TranslateForm, Translations } from "./translations.tsx";
import { SaidText, type TranscriptCertainty, TranscriptConfidence } from "./unsure-words.tsx";

type ResultSegment = NonNullable<JobResult["segments"]>[number];

export interface ShownPart {
  /** From 0. */
  readonly index: number;
  readonly count: number;
  readonly segments: readonly (JobSegment & { readonly translation: ResultSegment | undefined })[];
  /** The language of the translation next to the transcript. */
  readonly language: string | undefined;
  /** Those of the whole transcript. */
  readonly characters: number;
  readonly speakers: Speakers;
  readonly words: readonly Word[];
  readonly certainty: TranscriptCertainty;
}

type Shown = Visit<z.output<NonNullable<typeof recordingPage.query>>, "signed-in"> & {
  readonly job: StoredTranscription;
  readonly part: ShownPart | undefined;
  /** A link to the audio, while it exists. */
  readonly link: string | undefined;
};

/** The formats of a transcript, those for people first. */
const downloads: readonly (typeof resultFormats)[number][] = ["text", "srt", "vtt", "json"];

const ActiveJob = ({ job }: { readonly job: StoredTranscription }) => {
  const words = useFrame().texts.recordings;
  const followed = useFollowed(job);
  return (
    <section class="card" {...followed}>
      <h2>{words.states[stateOf(job)]}</h2>
      <JobProgress job={job} />
      <p class="hint">{words.looksAgain}</p>
    </section>
  );
};

const Player = ({ link }: Pick<Shown, "link">) => {
  const words = useFrame().texts.recordings;
  if (link === undefined) return <p class="soft">{words.gone}</p>;
  return (
    <div class="player">
      {/* biome-ignore lint/a11y/useMediaCaption: the transcript below is what captions would say */}
      <audio controls preload="metadata" src={link} data-part={partSeconds} aria-label={words.one} />
    </div>
  );
};

/** Start and end of a part, in seconds. */
const boundsOf = (index: number, job: StoredTranscription): readonly [number, number] => [
  index * partSeconds,
  Math.min((index + 1) * partSeconds, wholeSeconds(job.audio_milliseconds)),
];

const partQuery = (index: number, { language }: Pick<ShownPart, "language">): URLSearchParams =>
  new URLSearchParams({ part: String(index + 1), ...(language === undefined ? {} : { language }) });

const Parts = ({ part, job, url, texts }: Shown & { readonly part: ShownPart }) =>
  part.count < 2 ? null : (
    <nav class="row parts" aria-label={texts.recordings.parts}>
      {Array.from({ length: part.count }, (_, index) => {
        const [start, end] = boundsOf(index, job);
        return (
          <a
            key={start}
            href={`${url(`/console/recordings/${job.id}`)}?${partQuery(index, part)}`}
            aria-current={index === part.index ? "page" : undefined}
          >
            {`${clockOf(start)}–${clockOf(end)}`}
          </a>
        );
      })}
    </nav>
  );

/** The times are links, so they work without a script and with the keyboard. */
const Transcript = (visit: Shown & { readonly part: ShownPart }) => {
  const { part, job, texts } = visit;
  const [start, end] = boundsOf(part.index, job);
  return (
    <div data-transcript data-start={start} data-end={end}>
      <Parts {...visit} />
      {part.segments.length === 0 && <p class="soft">{texts.recordings.nothingSaid}</p>}
      <ol class={part.language === undefined ? "said" : "said pairs"} lang={tagOf(job.language)}>
        {part.segments.map((segment, index) => (
          <li
            key={segment.start}
            id={`t${segment.start}`}
            data-start={segment.start}
            data-end={segment.end}
            {...colourOf(segment.speaker, part.speakers)}
          >
            <a href={`#t${segment.start}`}>{clockOf(segment.start)}</a>{" "}
            <span>
              <SpeakerName segments={part.segments} index={index} speakers={part.speakers} />
              {segment.language === undefined ? (
                <SaidText segment={segment} words={part.words} />
              ) : (
                <span lang={tagOf(segment.language)}>
                  {segment.language !== part.segments[index - 1]?.language && (
                    <b class="hint">{nameOfLanguage(segment.language)} </b>
                  )}
                  <SaidText segment={segment} words={part.words} />
                </span>
              )}
            </span>
            <Translated segment={segment} language={part.language} />
          </li>
        ))}
      </ol>
    </div>
  );
};

/** The translation of a segment, next to it. */
const Translated = ({
  segment: { translation },
  language,
}: {
  readonly segment: ShownPart["segments"][number];
  readonly language: string | undefined;
}) => {
  const words = useFrame().texts.recordings;
  if (language === undefined || !translation) return null;
  return (
    <span lang={tagOf(language)} class="translation">
      {translation.text}
      {translation.speech?.fits === false && <em class="hint"> {words.cutShort}</em>}
    </span>
  );
};

const Said = (visit: Shown) => {
  const { texts, job, part, link, url } = visit;
  const words = texts.recordings;
  if (!part) {
    return <p class="soft">{job.status === "completed" ? words.silence : words.nothingSaid}</p>;
  }
  return (
    <>
      <h2>{words.download}</h2>
      <ul class="row">
        {downloads.map((format) => (
          <li key={format}>
            <a
              class="button secondary"
              href={`${url(`/console/recordings/${job.id}/transcript`)}?format=${format}`}
              download
            >
              <Icon name="download" />
              {words.formats[format]}
            </a>
          </li>
        ))}
      </ul>
      <Translations job={job} shown={part.language} />
      <TranslateForm visit={visit} job={job} characters={part.characters} />
      <SpeakerNames speakers={part.speakers} jobId={job.id} visit={visit} />
      <h2>
        {words.text}
        {part.language !== undefined &&
          ` · ${nameOfLanguage(job.language)} – ${nameOfLanguage(part.language)}`}
      </h2>
      <TranscriptConfidence {...part.certainty} />
      {link !== undefined && (
        <p class="hint" data-follow hidden>
          {words.follow}
        </p>
      )}
      <Player link={link} />
      <Transcript {...visit} part={part} />
    </>
  );
};

/** One recording: its progress, then its transcript with audio and downloads. */
export const RecordingView = (visit: Shown) => {
  const { texts, language, job } = visit;
  const words = texts.recordings;
  const isEnded = isOver(job);
  return (
    <>
      <Trail steps={[{ to: "/console/recordings", label: texts.navigation.recordings }]}>
        {fileNameOf(job)}
      </Trail>
      <PageHead title={fileNameOf(job)} action={<JobState job={job} />} />
      <Facts
        facts={[
          [words.language, nameOfLanguage(job.language, words.undetermined)],
          [words.length, clockOf(wholeSeconds(job.audio_milliseconds))],
          [words.sent, momentOf(job.created_at, language)],
          [words.storedUntil, dayOf(job.expires_at * 1_000, language)],
        ]}
      />
      {job.status === "failed" && (
        <Notice kind="bad" title={words.failedTitle}>
          {job.error && <p>{job.error.message}</p>}
          {visit.part && !hasTranscript(job) && <p>{words.partial}</p>}
        </Notice>
      )}
      {!isEnded && <ActiveJob job={job} />}
      {(isEnded || hasTranscript(job)) && <Said {...visit} />}
      <details class="revoke">
        <summary>{isEnded ? words.delete : words.cancel}</summary>
        <p>{isEnded ? words.deleteText : words.cancelText}</p>
        <Form
          to={`/console/recordings/${job.id}`}
          action="delete"
          submit={isEnded ? words.delete : words.cancel}
          look="danger"
          refusal={sentTo("delete", visit).form.refusal}
        />
      </details>
    </>
  );
};
