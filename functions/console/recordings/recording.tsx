import type * as z from "zod";
import { findLanguage, shortestCode } from "../../../shared/platform/catalogue/languages.ts";
import {
  fileNameOf,
  isOver,
  type JobStatus,
  type StoredTranscription,
} from "../../../shared/recordings/jobs/job.ts";
import type { JobSegment, resultFormats } from "../../../shared/recordings/jobs/job-result.ts";
import type { Visit } from "../server/visit.ts";
import { fill } from "../texts/languages.ts";
import { Badge, Facts, Notice, PageHead, Trail } from "../view/components.tsx";
import { dayOf, momentOf } from "../view/dates.ts";
import { Form } from "../view/forms.tsx";
import { useFrame } from "../view/frame.ts";
import { Icon } from "../view/icons.tsx";
import { clockOf } from "./clock.ts";
import { partSeconds, type recordingPage } from "./pages.ts";

export interface ShownPart {
  /** From 0. */
  readonly index: number;
  readonly count: number;
  readonly segments: readonly JobSegment[];
}

type Shown = Visit<z.output<NonNullable<typeof recordingPage.query>>, "signed-in"> & {
  readonly job: StoredTranscription;
  readonly part: ShownPart | undefined;
  /** A link to the audio, while it exists. */
  readonly link: string | undefined;
};

export const nameOfLanguage = (code: string): string => findLanguage(code)?.name ?? code;

/** The formats of a transcript, those for people first. */
const downloads: readonly (typeof resultFormats)[number][] = ["text", "srt", "vtt", "json"];

const secondsOf = (milliseconds: number): number => Math.floor(milliseconds / 1_000);

/** For the `lang` attribute: browsers know the shortest tags. */
const tagOf = (code: string): string => {
  const language = findLanguage(code);
  return language ? shortestCode(language) : code;
};

type Progress = Pick<StoredTranscription, "status" | "done_milliseconds" | "audio_milliseconds" | "waiting">;

export const JobProgress = ({ job }: { readonly job: Progress }) => {
  const words = useFrame().texts.recordings;
  const [done, total] = [secondsOf(job.done_milliseconds), secondsOf(job.audio_milliseconds)];
  const text = fill(words.progress, { done: clockOf(done), total: clockOf(total) });
  return (
    <>
      <progress value={done} max={Math.max(total, 1)} aria-label={words.states[job.status]} />
      <p data-said>{text}</p>
      {job.waiting !== undefined && <p class="soft">{job.waiting}</p>}
    </>
  );
};

const stateKinds: Readonly<Record<JobStatus, "good" | "warning" | "bad" | undefined>> = {
  queued: undefined,
  running: "warning",
  completed: "good",
  failed: "bad",
  cancelled: undefined,
};

/** The status of a job, in a word. */
export const JobState = ({
  job: { status },
  words = useFrame().texts.recordings.states,
}: {
  readonly job: { readonly status: JobStatus };
  readonly words?: Readonly<Record<JobStatus, string>>;
}) => {
  const kind = stateKinds[status];
  return <Badge {...(kind ? { kind } : {})}>{words[status]}</Badge>;
};

/** What the script needs to follow an active job: it reloads the page when the job's status changes. */
export const useFollowed = (
  { id, status }: { readonly id: string; readonly status: JobStatus },
  progress: string,
  unit: "seconds" | "characters",
) => {
  const { url, formToken } = useFrame();
  return {
    "data-job": url(`/tasks/jobs/${id}`),
    "data-status": status,
    "data-token": url("/console/recordings/token"),
    "data-form-token": formToken,
    "data-progress": progress,
    "data-unit": unit,
  };
};

const ActiveJob = ({ job }: { readonly job: StoredTranscription }) => {
  const words = useFrame().texts.recordings;
  const followed = useFollowed(job, words.progress, "seconds");
  return (
    <section class="card" {...followed}>
      <h2>{words.states[job.status]}</h2>
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
  Math.min((index + 1) * partSeconds, secondsOf(job.audio_milliseconds)),
];

const Parts = ({ part, job, url, texts }: Shown & { readonly part: ShownPart }) =>
  part.count < 2 ? null : (
    <nav class="row parts" aria-label={texts.recordings.parts}>
      {Array.from({ length: part.count }, (_, index) => {
        const [start, end] = boundsOf(index, job);
        return (
          <a
            key={start}
            href={`${url(`/console/recordings/${job.id}`)}?part=${index + 1}`}
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
      <ol class="said" lang={tagOf(job.language)}>
        {part.segments.map((segment) => (
          <li key={segment.start} id={`t${segment.start}`} data-start={segment.start} data-end={segment.end}>
            <a href={`#t${segment.start}`}>{clockOf(segment.start)}</a> <span>{segment.text}</span>
          </li>
        ))}
      </ol>
    </div>
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
      <h2>{words.text}</h2>
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
          [words.language, nameOfLanguage(job.language)],
          [words.length, clockOf(secondsOf(job.audio_milliseconds))],
          [words.sent, momentOf(job.created_at, language)],
          [words.storedUntil, dayOf(job.expires_at * 1_000, language)],
        ]}
      />
      {job.status === "failed" && (
        <Notice kind="bad" title={words.failedTitle}>
          {job.error && <p>{job.error.message}</p>}
          {visit.part && <p>{words.partial}</p>}
        </Notice>
      )}
      {isEnded ? <Said {...visit} /> : <ActiveJob job={job} />}
      <details class="revoke">
        <summary>{isEnded ? words.delete : words.cancel}</summary>
        <p>{isEnded ? words.deleteText : words.cancelText}</p>
        <Form
          to={`/console/recordings/${job.id}`}
          action="delete"
          submit={isEnded ? words.delete : words.cancel}
          look="danger"
          refusal={visit.problems.form}
        />
      </details>
    </>
  );
};
