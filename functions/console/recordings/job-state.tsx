import { fill } from "../../../shared/pages/texts/languages.ts";
import { Badge } from "../../../shared/pages/view/components.tsx";
import { useFrame } from "../../../shared/pages/view/frame.ts";
import { hasTranscript, type StoredTranscription } from "../../../shared/recordings/jobs/job.ts";
import { stageView } from "../../../shared/recordings/jobs/job-view.ts";
import { clockOf } from "./clock.ts";

export const wholeSeconds = (milliseconds: number): number => Math.floor(milliseconds / 1_000);

export const JobProgress = ({ job }: { readonly job: Progress }) => {
  const words = useFrame().texts.recordings;
  const stage = stageView(job);
  const later = stage && stage.name !== "transcribing" ? { ...stage, name: stage.name } : undefined;
  const [done, total] = [wholeSeconds(job.done_milliseconds), wholeSeconds(job.audio_milliseconds)];
  const text = later
    ? fill(words.stages[later.name], later)
    : fill(words.progress, { done: clockOf(done), total: clockOf(total) });
  return (
    <>
      <progress
        value={later?.done ?? done}
        max={later?.total ?? Math.max(total, 1)}
        aria-label={words.states[stateOf(job)]}
      />
      <p data-said>{text}</p>
      {job.waiting !== undefined && <p class="soft">{job.waiting}</p>}
    </>
  );
};

type Progress = Pick<
  StoredTranscription,
  | "assembled_stages"
  | "audio_milliseconds"
  | "done"
  | "done_milliseconds"
  | "extensions"
  | "pieces"
  | "stages"
  | "status"
  | "targets"
  | "waiting"
>;

type State = StoredTranscription["status"] | "translating";

export const stateOf = (job: Pick<Progress, "extensions" | "stages" | "status">): State =>
  job.status === "running" && hasTranscript(job) ? "translating" : job.status;

/** How the badge of each state looks. */
export const stateKinds: Readonly<Record<State, "good" | "warning" | "bad" | undefined>> = {
  queued: undefined,
  running: "warning",
  translating: "warning",
  completed: "good",
  failed: "bad",
  cancelled: undefined,
};

/** The status of a job, in a word. */
export const JobState = ({ job }: { readonly job: StoredTranscription }) => {
  const state = stateOf(job);
  const kind = stateKinds[state];
  return <Badge {...(kind ? { kind } : {})}>{useFrame().texts.recordings.states[state]}</Badge>;
};

/** What the script needs to follow an active job: it reloads the page when the job's status or stage changes. */
export const useFollowed = (job: StoredTranscription) => {
  const { texts, url, formToken } = useFrame();
  return {
    "data-job": url(`/tasks/jobs/${job.id}`),
    "data-status": job.status,
    "data-stage": stageView(job)?.name ?? "",
    "data-translating": texts.recordings.stages.translating,
    "data-speaking": texts.recordings.stages.speaking,
    "data-token": url("/console/recordings/token"),
    "data-form-token": formToken,
    "data-progress": texts.recordings.progress,
    "data-unit": "seconds",
  };
};
