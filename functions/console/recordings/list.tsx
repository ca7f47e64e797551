import type * as z from "zod";
import {
  transcriptionLanguages,
  translationLanguages,
} from "../../../shared/platform/catalogue/languages.ts";
import { maxUploadBytes } from "../../../shared/platform/storage/object-store.ts";
import { isOver, type StoredTranscription } from "../../../shared/recordings/jobs/job.ts";
import { guides } from "../docs/guides/built-guides.ts";
import { codeOf } from "../docs/guides/guide.ts";
import type { Visit } from "../server/visit.ts";
import { fill } from "../texts/languages.ts";
import { CodeBlock } from "../view/code.tsx";
import { EmptyState, Notice, PageHead } from "../view/components.tsx";
import { momentOf } from "../view/dates.ts";
import { FileField, optionsOf, Select } from "../view/forms.tsx";
import { clockOf } from "./clock.ts";
import { nameOfLanguage } from "./language-names.ts";
import type { recordingsPage } from "./pages.ts";
import { fileNameOf, JobProgress, JobState, useFollowed } from "./recording.tsx";

type Shown = Visit<z.output<NonNullable<typeof recordingsPage.query>>, "signed-in"> & {
  readonly jobs: readonly StoredTranscription[];
  /** The last listed job, if there are older ones. */
  readonly older: string | undefined;
};

const maxMegabytes = maxUploadBytes / 1_024 / 1_024;

/** The upload and the job, as the guide to long recordings shows them. */
const commandsOf = (baseUrl: string): string => {
  const guide = guides.find(({ name }) => name === "long-recordings");
  return ["TOKEN=…", ...codeOf(guide, "sh", baseUrl).slice(0, 2)].join("\n");
};

/** The addresses and words that the script needs. */
const dataOf = ({ texts: { recordings: words }, url, formToken }: Shown) => ({
  "data-upload": "",
  "data-api": url("/tasks"),
  "data-token": url("/console/recordings/token"),
  "data-page": url("/console/recordings"),
  "data-form-token": formToken,
  "data-largest": maxUploadBytes,
  "data-uploading": words.uploading,
  "data-continuing": words.continuing,
  "data-lost": words.lost,
  "data-stopped": words.stopped,
  "data-starting": words.starting,
  "data-failed": words.failed,
  "data-no-file": words.noFile,
  "data-too-large": fill(words.tooLarge, { size: maxMegabytes }),
  "data-unreadable": words.unreadable,
});

/** The script enables the form. */
const Upload = (visit: Shown) => {
  const { texts, account } = visit;
  const words = texts.recordings;
  return (
    <section class="card" aria-labelledby="upload">
      <h2 id="upload">{words.upload}</h2>
      <noscript>
        <p>{words.needsScript}</p>
      </noscript>
      <form {...dataOf(visit)}>
        <FileField
          name="file"
          label={words.one}
          hint={fill(words.fileHint, { size: maxMegabytes })}
          accept="audio/*,video/webm,.opus,.flac"
        />
        <Select
          name="language"
          label={words.language}
          value={account.default_language ?? "lug"}
          options={optionsOf(transcriptionLanguages)}
        />
        <Select
          name="target"
          label={words.translateTo}
          isOptional
          value=""
          options={[{ value: "", label: words.noTranslation }, ...optionsOf(translationLanguages)]}
        />
        <progress max={1} value={0} aria-label={words.upload} hidden />
        <p data-state role="status" />
        <div class="row">
          {/* Only its script can upload in parts. */}
          <button type="submit" class="button" disabled>
            {words.start}
          </button>
          <button type="button" class="button secondary" data-stop hidden>
            {words.stop}
          </button>
        </div>
        <p class="hint">{words.resumes}</p>
      </form>
    </section>
  );
};

/** A recording of the list; while it is transcribed, the script shows its progress. */
const Listed = ({
  job,
  visit: { language, url },
}: {
  readonly job: StoredTranscription;
  readonly visit: Shown;
}) => {
  const followed = useFollowed(job);
  return (
    <li class="card" {...(isOver(job) ? {} : followed)}>
      <div class="row between">
        <h3>
          <a href={url(`/console/recordings/${job.id}`)}>{fileNameOf(job)}</a>
        </h3>
        <JobState job={job} />
      </div>
      <p class="soft small">
        {[
          clockOf(job.audio_milliseconds / 1_000),
          nameOfLanguage(job.language),
          momentOf(job.created_at, language),
        ].join(" · ")}
      </p>
      {job.status === "failed" && job.error && <p>{job.error.message}</p>}
      {!isOver(job) && <JobProgress job={job} />}
    </li>
  );
};

/** The upload form, and the recordings of an account, newest first. */
export const Recordings = (visit: Shown) => {
  const { texts, query, jobs, older, baseUrl, url } = visit;
  const words = texts.recordings;
  return (
    <>
      <PageHead title={texts.navigation.recordings}>
        <p class="soft">{words.intro}</p>
      </PageHead>
      {query.done && <Notice title={words.deleted} />}
      <Upload {...visit} />
      <h2>{words.list}</h2>
      {jobs.length === 0 ? (
        <EmptyState title={words.none}>
          <p>{words.noneText}</p>
        </EmptyState>
      ) : (
        <ul class="recordings">
          {jobs.map((job) => (
            <Listed key={job.id} job={job} visit={visit} />
          ))}
        </ul>
      )}
      {older !== undefined && (
        <p>
          <a href={`${url("/console/recordings")}?${new URLSearchParams({ before: older })}`}>
            {words.older}
          </a>
        </p>
      )}
      <details class="more" open={jobs.length === 0}>
        <summary>{words.program}</summary>
        <CodeBlock label="curl" code={commandsOf(baseUrl)} />
      </details>
    </>
  );
};
