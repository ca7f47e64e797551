import { attachmentNamed } from "../../../shared/http/attachment.ts";
import { type BoundPage, page } from "../../../shared/pages/server/page.ts";
import { data, redirect, sentFile, shown } from "../../../shared/pages/server/responses.ts";
import type { Visit } from "../../../shared/pages/server/visit.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";
import type { LinkedObjectStore } from "../../../shared/platform/storage/object-store.ts";
import {
  addTargets,
  measureTargets,
  type TargetsDependencies,
} from "../../../shared/recordings/jobs/add-targets.ts";
import { type DeleteDependencies, deleteJob } from "../../../shared/recordings/jobs/delete-job.ts";
import { getResult } from "../../../shared/recordings/jobs/get-result.ts";
import {
  fileNameOf,
  hasTranscript,
  isOver,
  type StoredTranscription,
} from "../../../shared/recordings/jobs/job.ts";
import { jobResult, type resultFormats } from "../../../shared/recordings/jobs/job-result.ts";
import type { JobsRepository } from "../../../shared/recordings/jobs/jobs-repository.ts";
import type { JobName } from "../../../shared/recordings/jobs/keys.ts";
import { readSegments, readTranslatedSegments } from "../../../shared/recordings/jobs/recording-result.ts";
import type { ResultDependencies } from "../../../shared/recordings/jobs/result-query.ts";
import { requireTranscription } from "../../../shared/recordings/jobs/show-jobs.ts";
import { charactersOf } from "../../../shared/recordings/jobs/translated-recording.ts";
import { signPageToken } from "../playground/page-token.ts";
import type { PlaygroundDependencies } from "../playground/playground-pages.tsx";
import { Recordings } from "./list.tsx";
import { partSeconds, recordingPage, recordingsPage, recordingsTokenPage, transcriptPage } from "./pages.ts";
import { RecordingView, type ShownPart } from "./recording.tsx";
import { readyLanguages } from "./translations.tsx";

/** What these pages use. */
export interface RecordingsDependencies
  extends Pick<PlaygroundDependencies, "tokens">,
    DeleteDependencies,
    TargetsDependencies {
  readonly jobs: JobsRepository;
  /** Whether a model of this service detects languages. */
  readonly detectsLanguages: boolean;
  /** Whether a model of this service may distinguish speakers. */
  readonly distinguishesSpeakers: boolean;
  readonly store: ResultDependencies["store"] & Pick<LinkedObjectStore, "describe" | "signDownload">;
}

/** How many recordings one page lists. */
const maxListed = 20;

/** How often the page of an active job reloads without JavaScript. */
const refreshSeconds = 10;

const fileEndings: Readonly<Record<(typeof resultFormats)[number] | "audio", string>> = {
  audio: "ogg",
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

/** Passes on a failure to read a job's result, unless the result was deleted before its job. */
const unlessDeleted = (error: unknown): undefined => {
  if (error instanceof AppError && error.code === "not_found") return undefined;
  throw error;
};

/** One part of the transcript, with the translation next to it; `undefined` when there is none. */
const readPart = async (
  name: JobName,
  job: StoredTranscription,
  { part: number, language }: { readonly part: number; readonly language: string | undefined },
  { store }: RecordingsDependencies,
): Promise<ShownPart | undefined> => {
  if (!isOver(job) && !hasTranscript(job)) return undefined;
  const [found, translated] = await Promise.all([
    readSegments(name, job, store).catch(unlessDeleted),
    language === undefined ? [] : readTranslatedSegments(name, job, language, store).catch(unlessDeleted),
  ]);
  if (!found?.segments.length) return undefined;
  const { segments, words, speakers, certainty } = found;
  const count = Math.ceil(job.audio_milliseconds / 1_000 / partSeconds);
  const index = Math.min(number, count) - 1;
  const partOf = ({ start }: { readonly start: number }) =>
    Math.min(count - 1, Math.floor(start / partSeconds));
  return {
    index,
    count,
    language: translated?.length ? language : undefined,
    speakers,
    certainty,
    words: words.filter((word) => partOf(word) === index),
    characters: charactersOf(segments),
    segments: segments
      .map((segment, position) => ({ ...segment, translation: translated?.[position] }))
      .filter((segment) => partOf(segment) === index),
  };
};

/** A link to the recording, while its upload exists. */
const linkTo = async (
  job: StoredTranscription,
  { store }: RecordingsDependencies,
): Promise<string | undefined> => {
  const isShown = isOver(job) || hasTranscript(job);
  if (!isShown || !(await store.describe(job.object_key))) return undefined;
  const { url } = await store.signDownload(job.object_key, {
    contentType: job.facts.mediaType,
    fileName: "recording",
  });
  return url;
};

const list = ({ jobs, detectsLanguages, distinguishesSpeakers }: RecordingsDependencies): BoundPage =>
  page(recordingsPage, {
    show: async (visit) => {
      // One more than is shown reveals whether there are older ones.
      const found = await jobs.listTranscriptions(visit.account.id, maxListed + 1, visit.query.before);
      const listed = found.slice(0, maxListed);
      const older = found.length > maxListed ? listed.at(-1)?.id : undefined;
      return shown({
        content: (
          <Recordings
            {...visit}
            jobs={listed}
            older={older}
            {...{ detectsLanguages, distinguishesSpeakers }}
          />
        ),
      });
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
      const ready = readyLanguages(job);
      const language = ready.find((code) => code === visit.query.language) ?? ready[0];
      const [part, link] = await Promise.all([
        readPart(name, job, { part: visit.query.part, language }, dependencies),
        linkTo(job, dependencies),
      ]);
      return shown({
        title: fileNameOf(job),
        content: <RecordingView {...visit} job={job} part={part} link={link} />,
        refreshSeconds: isOver(job) ? undefined : refreshSeconds,
      });
    },
    submit: async (visit) => {
      const { form } = visit;
      const name = nameIn(visit);
      if (form.action === "delete") {
        await deleteJob(name, dependencies);
        return redirect(`${recordingsPage.path}?done=deleted`);
      }
      if (form.action === "name-speaker") {
        await requireTranscription(name, dependencies.jobs);
        await dependencies.jobs.nameSpeaker(name, form.label, form.name || undefined);
        return redirect(`/console/recordings/${name.jobId}`);
      }
      const { language } = form;
      const formats = form.speech ? (["srt", "audio"] as const) : (["srt"] as const);
      const requested = formats.map((format) => ({ language, format }));
      await addTargets(name, await measureTargets(name, requested, dependencies), dependencies);
      return redirect(`/console/recordings/${name.jobId}?${new URLSearchParams({ language })}`);
    },
  });

const transcript = (dependencies: RecordingsDependencies): BoundPage =>
  page(transcriptPage, {
    show: async (visit) => {
      const { format, language } = visit.query;
      const result = await getResult(nameIn(visit), { format, language, partial: true }, dependencies);
      const file =
        "contentType" in result
          ? result
          : // As bytes: JSON is sent through an operation's schema, without headers of its own.
            { contentType: "application/octet-stream", body: JSON.stringify(jobResult.parse(result)) };
      const job = await requireTranscription(nameIn(visit), dependencies.jobs);
      return sentFile({
        ...file,
        headers: {
          "Content-Disposition": attachmentOf(job, [language, fileEndings[format]].filter(Boolean).join(".")),
        },
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
