import type * as z from "zod";
import { documentEndings } from "../../../shared/documents/document-formats.ts";
import { fileTranslation } from "../../../shared/pages/samples/job-commands.ts";
import type { Visit } from "../../../shared/pages/server/visit.ts";
import { fill, localeOf } from "../../../shared/pages/texts/languages.ts";
import { CodeBlock } from "../../../shared/pages/view/code.tsx";
import { Badge, EmptyState, Notice } from "../../../shared/pages/view/components.tsx";
import { dayOf, momentOf } from "../../../shared/pages/view/dates.ts";
import { Form, optionsOf, Select } from "../../../shared/pages/view/forms.tsx";
import { useFrame } from "../../../shared/pages/view/frame.ts";
import { Icon } from "../../../shared/pages/view/icons.tsx";
import { translationLanguages } from "../../../shared/platform/catalogue/languages.ts";
import { onFirstUse } from "../../../shared/platform/on-first-use.ts";
import { isOver, type StoredTranslation, translatedFileName } from "../../../shared/recordings/jobs/job.ts";
import { maxDocumentBytes } from "../../../shared/recordings/jobs/job-document.ts";
import { documentsPath, PlaygroundHead } from "../playground/head.tsx";
import { stateKinds } from "../recordings/job-state.tsx";
import { nameOfLanguage } from "../recordings/language-names.ts";
import { UploadForm } from "../recordings/upload-form.tsx";
import type { documentsPage } from "./pages.ts";

type Shown = Visit<z.output<NonNullable<typeof documentsPage.query>>, "signed-in"> & {
  readonly jobs: readonly StoredTranslation[];
  /** The last listed job, if there are older ones. */
  readonly older: string | undefined;
};

const accepted = documentEndings.map((ending) => `.${ending}`).join(",");

const translated = onFirstUse(() => optionsOf(translationLanguages));

/** The upload, the job and the download, as the guide shows them. */
const commandsOf = (baseUrl: string): string => ["TOKEN=…", `API=${baseUrl}`, fileTranslation].join("\n");

const Upload = () => {
  const { texts } = useFrame();
  const { documents: words, playground } = texts;
  return (
    <UploadForm
      words={words}
      accept={accepted}
      maxBytes={maxDocumentBytes}
      job={{ type: "translation" }}
      page={documentsPath}
    >
      <div class="languages">
        <Select
          name="source_language"
          label={playground.from}
          value=""
          options={[{ value: "", label: playground.identify }, ...translated()]}
        />
        <Select name="target_language" label={playground.to} value="lug" options={translated()} />
      </div>
    </UploadForm>
  );
};

const Progress = ({ job }: { readonly job: StoredTranslation }) => {
  const { documents: words } = useFrame().texts;
  const { done_characters: done, characters: total } = job;
  return (
    <>
      <progress value={done} max={Math.max(total, 1)} aria-label={words.states[job.status]} />
      <p data-said>{fill(words.progress, { done, total })}</p>
      {job.waiting !== undefined && <p class="soft">{job.waiting}</p>}
    </>
  );
};

/** What can be done with a document. */
const Actions = ({ job }: { readonly job: StoredTranslation }) => {
  const { texts, url } = useFrame();
  const { documents: words } = texts;
  const hasFile = job.status === "completed" || job.done_characters > 0;
  return (
    <div class="row between">
      {isOver(job) && hasFile ? (
        <a class="button secondary" href={url(`${documentsPath}/${job.id}/file`)} download>
          <Icon name="download" />
          {job.status === "completed" ? words.download : words.downloadPart}
        </a>
      ) : (
        <span />
      )}
      <details class="revoke">
        <summary>{isOver(job) ? words.delete : words.cancel}</summary>
        <p>{isOver(job) ? words.deleteText : words.cancelText}</p>
        <Form
          to={documentsPath}
          action="delete"
          submit={isOver(job) ? words.delete : words.cancel}
          look="danger"
        >
          <input type="hidden" name="id" value={job.id} />
        </Form>
      </details>
    </div>
  );
};

const languagesOf = (job: StoredTranslation): string =>
  [job.source_language ?? job.detected_language, job.target_language]
    .flatMap((code) => (code === undefined ? [] : [nameOfLanguage(code)]))
    .join(" → ");

/** What the script needs to follow an active job: it reloads the page when the job's status changes. */
const dataOf = (
  { id, status }: StoredTranslation,
  { texts, url, formToken }: ReturnType<typeof useFrame>,
) => ({
  "data-job": url(`/tasks/jobs/${id}`),
  "data-status": status,
  "data-token": url("/console/recordings/token"),
  "data-form-token": formToken,
  "data-progress": texts.documents.progress,
  "data-unit": "characters",
});

/** A document of the list; while it is translated, the script shows its progress. */
const Listed = ({ job }: { readonly job: StoredTranslation }) => {
  const frame = useFrame();
  const { language } = frame;
  const { documents: words } = frame.texts;
  const kind = stateKinds[job.status];
  const unchanged = job.untranslated_count ?? 0;
  return (
    <li class="card" {...(isOver(job) ? {} : dataOf(job, frame))}>
      <div class="row between">
        <h3>{translatedFileName(job)}</h3>
        <Badge {...(kind ? { kind } : {})}>{words.states[job.status]}</Badge>
      </div>
      <p class="soft small">
        {[
          languagesOf(job),
          fill(words.characters, { count: job.characters.toLocaleString(localeOf(language)) }),
          momentOf(job.created_at, language),
          fill(words.storedUntil, { day: dayOf(job.expires_at * 1_000, language) }),
        ].join(" · ")}
      </p>
      {job.status === "failed" && job.error && <p class="error">{job.error.message}</p>}
      {unchanged > 0 && (
        <p>{fill(unchanged === 1 ? words.oneUnchanged : words.unchanged, { count: unchanged })}</p>
      )}
      {!isOver(job) && <Progress job={job} />}
      <Actions job={job} />
    </li>
  );
};

/** The upload form, and the documents of an account, newest first. */
export const Documents = (visit: Shown) => {
  const { texts, query, jobs, older, baseUrl, url, problems } = visit;
  const words = texts.documents;
  return (
    <div class="playground">
      <PlaygroundHead current="document" />
      {query.done && <Notice title={words.deleted} />}
      {problems.form && <Notice kind="bad" title={problems.form} />}
      <Upload />
      <h2>{words.list}</h2>
      {jobs.length === 0 ? (
        <EmptyState title={words.none}>
          <p>{words.noneText}</p>
        </EmptyState>
      ) : (
        <ul class="recordings">
          {jobs.map((job) => (
            <Listed key={job.id} job={job} />
          ))}
        </ul>
      )}
      {older !== undefined && (
        <p>
          <a href={`${url(documentsPath)}?${new URLSearchParams({ before: older })}`}>{words.older}</a>
        </p>
      )}
      <details class="more" open={jobs.length === 0}>
        <summary>{texts.recordings.program}</summary>
        <CodeBlock label="curl" code={commandsOf(baseUrl)} />
      </details>
    </div>
  );
};
