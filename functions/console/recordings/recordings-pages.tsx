import { attachmentNamed } from "../../../shared/http/attachment.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";
import type { LinkedObjectStore } from "../../../shared/platform/storage/object-store.ts";
import { type DeleteDependencies, deleteJob } from "../../../shared/recordings/jobs/delete-job.ts";
import { getResult } from "../../../shared/recordings/jobs/get-result.ts";
import { isOver, type StoredTranscription } from "../../../shared/recordings/jobs/job.ts";
import { jobResult, type resultFormats } from "../../../shared/recordings/jobs/job-result.ts";
import type { JobsRepository } from "../../../shared/recordings/jobs/jobs-repository.ts";
import type { JobName } from "../../../shared/recordings/jobs/keys.ts";
import { readSegments } from "../../../shared/recordings/jobs/recording-result.ts";
import type { ResultDependencies } from "../../../shared/recordings/jobs/result-query.ts";
import { requireTranscription } from "../../../shared/recordings/jobs/show-jobs.ts";
import type { PlaygroundDependencies } from "../playground/playground-pages.tsx";
import { type BoundPage, page } from "../server/page.ts";
import { signPageToken } from "../server/page-token.ts";
import { data, redirect, sentFile, shown } from "../server/responses.ts";
import type { Visit } from "../server/visit.ts";
import { Recordings } from "./list.tsx";
import { partSeconds, recordingPage, recordingsPage, recordingsTokenPage, transcriptPage } from "./pages.ts";
import { fileNameOf, RecordingView, type ShownPart } from "./recording.tsx";

/** What these pages use. */
export interface RecordingsDependencies extends Pick<PlaygroundDependencies, "tokens">, DeleteDependencies {
  readonly jobs: JobsRepository;
  readonly store: ResultDependencies["store"] & Pick<LinkedObjectStore, "describe" | "signDownload">;
}

/** How many recordings one page lists. */
const maxListed = 20;

/** How often the page of an active job reloads without JavaScript. */
const refreshSeconds = 10;

const fileEndings: Readonly<Record<(typeof resultFormats)[number], string>> = {
  text: "txt",
  srt: "srt",
  vtt: "vtt",
  json: "json",
};

/** Names a download after the recording. */
const attachmentOf = (job: StoredTranscription, ending: string): string =>
  attachmentNamed(`${fileNameOf(job).replace(/\.\w+$/, "")}.${ending}`);

const nameIn = ({ path, account }: Visit<unknown, "signed-in">): JobName => ({
  userId: account.id,
  jobId: path["id"] ?? "",
});

/** One part of the transcript; `undefined` when there is none, or the result was deleted before its job. */
const readPart = async (
  name: JobName,
  job: StoredTranscription,
  number: number,
  { store }: RecordingsDependencies,
): Promise<ShownPart | undefined> => {
  if (!isOver(job)) return undefined;
  const segments = await readSegments(name, job, store).catch((error: unknown) => {
    if (error instanceof AppError && error.code === "not_found") return [];
    throw error;
  });
  if (segments.length === 0) return undefined;
  const count = Math.ceil(job.audio_milliseconds / 1_000 / partSeconds);
  const index = Math.min(number, count) - 1;
  const partOf = ({ start }: { readonly start: number }) =>
    Math.min(count - 1, Math.floor(start / partSeconds));
  return { index, count, segments: segments.filter((segment) => partOf(segment) === index) };
};

/** A link to the recording, while its upload exists. */
const linkTo = async (
  job: StoredTranscription,
  { store }: RecordingsDependencies,
): Promise<string | undefined> => {
  if (!isOver(job) || !(await store.describe(job.object_key))) return undefined;
  const { url } = await store.signDownload(job.object_key, {
    contentType: job.facts.mediaType,
    fileName: "recording",
  });
  return url;
};

const list = ({ jobs }: RecordingsDependencies): BoundPage =>
  page(recordingsPage, {
    show: async (visit) => {
      // One more than is shown reveals whether there are older ones.
      const found = await jobs.listTranscriptions(visit.account.id, maxListed + 1, visit.query.before);
      const listed = found.slice(0, maxListed);
      const older = found.length > maxListed ? listed.at(-1)?.id : undefined;
      return shown({ content: <Recordings {...visit} jobs={listed} older={older} /> });
    },
  });

const token = ({ tokens }: RecordingsDependencies): BoundPage =>
  page(recordingsTokenPage, {
    show: () => redirect(recordingsPage.path),
    submit: async (visit) => data(await signPageToken(visit, ["upload", "jobs"], tokens)),
  });

const recording = (dependencies: RecordingsDependencies): BoundPage =>
  page(recordingPage, {
    show: async (visit) => {
      const name = nameIn(visit);
      const job = await requireTranscription(name, dependencies.jobs);
      const [part, link] = await Promise.all([
        readPart(name, job, visit.query.part, dependencies),
        linkTo(job, dependencies),
      ]);
      return shown({
        title: fileNameOf(job),
        content: <RecordingView {...visit} job={job} part={part} link={link} />,
        refreshSeconds: isOver(job) ? undefined : refreshSeconds,
      });
    },
    submit: async (visit) => {
      await deleteJob(nameIn(visit), dependencies);
      return redirect(`${recordingsPage.path}?done=deleted`);
    },
  });

const transcript = (dependencies: RecordingsDependencies): BoundPage =>
  page(transcriptPage, {
    show: async (visit) => {
      const { format } = visit.query;
      const result = await getResult(nameIn(visit), { format, partial: true }, dependencies);
      const file =
        "contentType" in result
          ? result
          : // As bytes: JSON is sent through an operation's schema, without headers of its own.
            { contentType: "application/octet-stream", body: JSON.stringify(jobResult.parse(result)) };
      const job = await requireTranscription(nameIn(visit), dependencies.jobs);
      return sentFile({
        ...file,
        headers: { "Content-Disposition": attachmentOf(job, fileEndings[format]) },
      });
    },
  });

/** Long recordings: the list with its upload form, each recording with its transcript, and the token of the scripts. */
export const recordingsPages = (dependencies: RecordingsDependencies): BoundPage[] => [
  list(dependencies),
  token(dependencies),
  recording(dependencies),
  transcript(dependencies),
];
