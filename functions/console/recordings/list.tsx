import type * as z from "zod";
import { recordingUpload, transcriptionJob } from "../../../shared/pages/samples/job-commands.ts";
import type { Visit } from "../../../shared/pages/server/visit.ts";
import { fill } from "../../../shared/pages/texts/languages.ts";
import { CodeBlock } from "../../../shared/pages/view/code.tsx";
import { EmptyState, Notice, PageHead } from "../../../shared/pages/view/components.tsx";
import { momentOf } from "../../../shared/pages/view/dates.ts";
import { optionsOf, Select, TextArea } from "../../../shared/pages/view/forms.tsx";
import {
  transcriptionLanguages,
  translationLanguages,
} from "../../../shared/platform/catalogue/languages.ts";
import { maxUploadBytes } from "../../../shared/platform/storage/object-store.ts";
import { maxKeywords } from "../../../shared/platform/validation/fields.ts";
import { fileNameOf, isOver, type StoredTranscription } from "../../../shared/recordings/jobs/job.ts";
import { acceptedRecordings } from "../playground/accepted-recordings.ts";
import { clockOf } from "./clock.ts";
import { JobProgress, JobState, useFollowed } from "./job-state.tsx";
import { nameOfLanguage } from "./language-names.ts";
import type { recordingsPage } from "./pages.ts";
import { UploadForm } from "./upload-form.tsx";

type Shown = Visit<z.output<NonNullable<typeof recordingsPage.query>>, "signed-in"> & {
  readonly jobs: readonly StoredTranscription[];
  /** The last listed job, if there are older ones. */
  readonly older: string | undefined;
  readonly detectsLanguages: boolean;
  readonly distinguishesSpeakers: boolean;
};

/** The upload and the job, as the guide to long recordings shows them. */
const commandsOf = (baseUrl: string): string =>
  ["TOKEN=…", recordingUpload, transcriptionJob].join("\n").replaceAll("{{baseUrl}}", baseUrl);

/** Uploads a recording, and creates a job that transcribes it. */
const Upload = ({ texts, account, detectsLanguages, distinguishesSpeakers }: Shown) => {
  const words = texts.recordings;
  const hasCandidates = (account.default_languages?.length ?? 0) > 0;
  const canDetect = !account.default_language && (detectsLanguages || hasCandidates);
  return (
    <UploadForm
      words={words}
      accept={acceptedRecordings}
      maxBytes={maxUploadBytes}
      job={{ type: "transcription", timestamps: true }}
      page="/console/recordings/{id}"
    >
      <Select
        name="language"
        label={words.language}
        value={canDetect ? "" : (account.default_language ?? "lug")}
        isOptional={canDetect}
        options={[
          ...(canDetect ? [{ value: "", label: words.detectLanguage }] : []),
          ...optionsOf(transcriptionLanguages),
        ]}
      />
      <Select
        name="target"
        label={words.translateTo}
        hint={canDetect ? words.targetNeedsLanguage : undefined}
        isOptional
        value=""
        options={[{ value: "", label: words.noTranslation }, ...optionsOf(translationLanguages)]}
      />
      <TextArea
        name="keywords"
        label={words.keywords}
        hint={fill(texts.account.keywordsHint, { count: maxKeywords })}
        isOptional
        rows={2}
      />
      {distinguishesSpeakers && (
        <div class="field">
          <label class="option">
            <input type="checkbox" name="speakers" value="yes" />
            {words.distinguishSpeakers}
          </label>
        </div>
      )}
    </UploadForm>
  );
};

/** A recording of the list; while it is transcribed, the script shows its progress. */
const Listed = ({ job, visit }: { readonly job: StoredTranscription; readonly visit: Shown }) => {
  const { language, url, texts } = visit;
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
          nameOfLanguage(job.language, texts.recordings.undetermined),
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
