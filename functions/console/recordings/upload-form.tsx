import type { ComponentChildren } from "preact";
import { fill } from "../../../shared/pages/texts/languages.ts";
import { FileField } from "../../../shared/pages/view/forms.tsx";
import { useFrame } from "../../../shared/pages/view/frame.ts";

/** The words of an upload form that depend on what is uploaded. */
interface UploadWords {
  readonly upload: string;
  readonly one: string;
  readonly needsScript: string;
  /** With `{size}`, in megabytes. */
  readonly fileHint: string;
  readonly start: string;
  readonly starting: string;
  readonly noFile: string;
  /** With `{size}`, in megabytes. */
  readonly tooLarge: string;
}

interface UploadFormProps {
  readonly words: UploadWords;
  readonly accept: string;
  readonly maxBytes: number;
  /** The fields of the job that the form does not show. */
  readonly job: object;
  /** The page to open when the job is created; `{id}` is the job's. */
  readonly page: string;
  /** The fields that the form shows, with the names of the job's fields. */
  readonly children: ComponentChildren;
}

const megabytes = (bytes: number): number => bytes / 1_024 / 1_024;

/** The addresses and words that the script needs. */
const useData = ({ words, maxBytes, job, page }: UploadFormProps) => {
  const { texts, url, formToken } = useFrame();
  const { recordings: common } = texts;
  return {
    "data-upload": "",
    "data-api": url("/tasks"),
    "data-token": url("/console/recordings/token"),
    "data-creates": JSON.stringify(job),
    "data-page": url(page),
    "data-form-token": formToken,
    "data-largest": maxBytes,
    "data-uploading": common.uploading,
    "data-continuing": common.continuing,
    "data-lost": common.lost,
    "data-stopped": common.stopped,
    "data-starting": words.starting,
    "data-failed": common.failed,
    "data-no-file": words.noFile,
    "data-needs-language": common.targetNeedsLanguage,
    "data-too-large": fill(words.tooLarge, { size: megabytes(maxBytes) }),
    "data-unreadable": common.unreadable,
  };
};

/** Uploads a file in parts and creates a job for it. The script enables the form. */
export const UploadForm = (props: UploadFormProps) => {
  const { words, accept, maxBytes, children } = props;
  const { recordings: common } = useFrame().texts;
  return (
    <section class="card" aria-labelledby="upload">
      <h2 id="upload">{words.upload}</h2>
      <noscript>
        <p>{words.needsScript}</p>
      </noscript>
      <form {...useData(props)}>
        <FileField
          name="file"
          label={words.one}
          hint={fill(words.fileHint, { size: megabytes(maxBytes) })}
          accept={accept}
        />
        {children}
        <progress max={1} value={0} aria-label={words.upload} hidden />
        <p data-state role="status" />
        <div class="row">
          {/* Only its script can upload in parts. */}
          <button type="submit" class="button" disabled>
            {words.start}
          </button>
          <button type="button" class="button secondary" data-stop hidden>
            {common.stop}
          </button>
        </div>
        <p class="hint">{common.resumes}</p>
      </form>
    </section>
  );
};
