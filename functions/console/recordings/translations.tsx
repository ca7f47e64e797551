import { sentTo } from "../../../shared/pages/server/sent-form.ts";
import type { Visit } from "../../../shared/pages/server/visit.ts";
import { fill } from "../../../shared/pages/texts/languages.ts";
import { Badge } from "../../../shared/pages/view/components.tsx";
import { Form, optionsOf, Select } from "../../../shared/pages/view/forms.tsx";
import { useFrame } from "../../../shared/pages/view/frame.ts";
import { Icon } from "../../../shared/pages/view/icons.tsx";
import { findLanguage, translationLanguages } from "../../../shared/platform/catalogue/languages.ts";
import { findSynthesisLanguage } from "../../../shared/platform/catalogue/voices.ts";
import type { StoredTranscription } from "../../../shared/recordings/jobs/job.ts";
import { isReady, languagesOf } from "../../../shared/recordings/jobs/job-stages.ts";
import { maxTargets } from "../../../shared/recordings/jobs/target.ts";
import { nameOfLanguage } from "./language-names.ts";

type Job = Pick<
  StoredTranscription,
  "assembled_stages" | "id" | "language" | "stages" | "status" | "targets"
>;

/** The languages into which a recording is translated so far. */
export const readyLanguages = (job: Pick<Job, "assembled_stages" | "stages" | "targets">): string[] =>
  languagesOf(job.targets).filter((language) => isReady(job, { language, format: "text" }));

const Download = ({
  job,
  language,
  format,
}: {
  readonly job: Job;
  readonly language: string;
  readonly format: "audio" | "srt" | "text" | "vtt";
}) => {
  const { texts, url } = useFrame();
  const query = new URLSearchParams({ language, format });
  return (
    <li>
      <a
        class="button secondary"
        href={`${url(`/console/recordings/${job.id}/transcript`)}?${query}`}
        download
      >
        <Icon name={format === "audio" ? "play" : "download"} />
        {texts.recordings.formats[format]}
      </a>
    </li>
  );
};

/** A language of the recording: its state and its downloads. */
const Translation = ({
  job,
  language,
  shown,
}: {
  readonly job: Job;
  readonly language: string;
  readonly shown: string | undefined;
}) => {
  const { texts, url } = useFrame();
  const words = texts.recordings;
  const isTranslated = isReady(job, { language, format: "text" });
  const isSpoken = isReady(job, { language, format: "audio" });
  const isPending =
    job.status === "running" &&
    job.targets.some((target) => target.language === language && !isReady(job, target));
  return (
    <li>
      <div class="row">
        <h3>{nameOfLanguage(language)}</h3>
        {isPending && <Badge kind="warning">{words.states.translating}</Badge>}
        {isTranslated && language !== shown && (
          <a href={`${url(`/console/recordings/${job.id}`)}?${new URLSearchParams({ language })}`}>
            {words.sideBySide}
          </a>
        )}
      </div>
      {isTranslated && (
        <ul class="row">
          {(["text", "srt", "vtt"] as const).map((format) => (
            <Download key={format} job={job} language={language} format={format} />
          ))}
          {isSpoken && <Download job={job} language={language} format="audio" />}
        </ul>
      )}
    </li>
  );
};

/** The translations of a recording. @param shown the one next to the transcript. */
export const Translations = ({ job, shown }: { readonly job: Job; readonly shown: string | undefined }) => {
  const words = useFrame().texts.recordings;
  const languages = languagesOf(job.targets);
  if (languages.length === 0) return null;
  return (
    <>
      <h2>{words.translations}</h2>
      <ul class="translations">
        {languages.map((language) => (
          <Translation key={language} job={job} language={language} shown={shown} />
        ))}
      </ul>
    </>
  );
};

/** The languages that a recording can still be translated into. */
const remainingLanguages = ({ language, targets }: Job) => {
  const taken = new Set([language, ...languagesOf(targets)]);
  return translationLanguages.filter(({ code }) => !taken.has(code));
};

const canBeTranslated = (job: Job): boolean =>
  job.status === "completed" &&
  job.targets.length < maxTargets &&
  findLanguage(job.language, "translation") !== undefined;

/** Translates a completed recording. @param characters what that counts on the month. */
export const TranslateForm = ({
  visit,
  job,
  characters,
}: {
  readonly visit: Pick<Visit, "lists" | "problems" | "values">;
  readonly job: Job;
  readonly characters: number;
}) => {
  const { texts, language: pageLanguage } = useFrame();
  const words = texts.recordings;
  if (!canBeTranslated(job)) return null;
  const { form, field } = sentTo("translate", visit);
  const languages = remainingLanguages(job);
  const usual = languages.find(({ code }) => code === "eng") ?? languages[0];
  const spoken = languages
    .filter(({ code }) => findSynthesisLanguage(code)?.voices.length)
    .map(({ name }) => name)
    .join(", ");
  return (
    <details class="more" open={form.refusal !== undefined || Object.keys(form.problems).length > 0}>
      <summary>{words.translateTo}</summary>
      <Form {...form} to={`/console/recordings/${job.id}`} submit={words.translate}>
        <Select
          {...field("language", usual?.code)}
          label={words.language}
          options={optionsOf(languages)}
          hint={fill(words.translateHint, { count: characters.toLocaleString(pageLanguage) })}
        />
        <div class="field">
          <label class="option">
            <input
              type="checkbox"
              name="speech"
              value="yes"
              checked={field("speech").value === "yes"}
              aria-describedby="speech-hint"
            />
            {words.speakIt}
          </label>
          <p class="hint" id="speech-hint">
            {fill(words.speakItHint, { names: spoken })}
          </p>
        </div>
      </Form>
    </details>
  );
};
