import type { Caller } from "../../shared/accounts/access/caller.ts";
import type { AccountPolicies } from "../../shared/accounts/limits/policies.ts";
import { ReadingBudget } from "../../shared/audio/reading/reading-budget.ts";
import type { SourceLanguageDetector } from "../../shared/models/source-language/detector.ts";
import { chooseLanguages } from "../../shared/platform/catalogue/choose-languages.ts";
import { AppError, invalidField } from "../../shared/platform/errors/app-error.ts";
import { maxUploadBytes, type ObjectStore } from "../../shared/platform/storage/object-store.ts";
import type { CallbackSecrets } from "../../shared/recordings/callbacks/callback-secrets.ts";
import { type CallbackRules, callbackUrlProblem } from "../../shared/recordings/callbacks/callback-url.ts";
import { chooseTargets, maxCharactersOf } from "../../shared/recordings/jobs/choose-targets.ts";
import {
  type StoredJob,
  type StoredTranscription,
  undeterminedLanguage,
} from "../../shared/recordings/jobs/job.ts";
import { enqueue, type JobQueue } from "../../shared/recordings/jobs/job-queue.ts";
import { type CreatedJob, toJob } from "../../shared/recordings/jobs/job-view.ts";
import {
  type JobsRepository,
  type NewTranscriptionJob,
  type NewTranslationJob,
  newJobId,
} from "../../shared/recordings/jobs/jobs-repository.ts";
import { jobObjects } from "../../shared/recordings/jobs/keys.ts";
import {
  type AccountsLanguages,
  checkCandidates,
  languagesOfAccount,
} from "../../shared/recordings/spoken-language/candidates.ts";
import {
  openUpload,
  openUploadedFile,
  type RecordingDependencies,
} from "../../shared/recordings/uploads/open-upload.ts";
import type { JobRequest, TranscriptionJobRequest, TranslationJobRequest } from "./job-requests.ts";
import { checkDocumentSize, readSource } from "./read-source.ts";
import {
  type CapacityDependencies,
  type NewWork,
  requireCapacity,
  workOnTargets,
} from "./require-capacity.ts";

export interface CreateDependencies extends RecordingDependencies, CapacityDependencies {
  readonly jobs: Pick<JobsRepository, "create" | "list">;
  readonly queue: JobQueue & CapacityDependencies["queue"];
  readonly store: RecordingDependencies["store"] & Pick<ObjectStore, "copy">;
  readonly policyOf: AccountPolicies;
  readonly callbackSecrets: Pick<CallbackSecrets, "current">;
  readonly callbackRules: CallbackRules;
  /** Whether a model of this service detects languages. */
  readonly detectsLanguages: boolean;
  /** Whether a model of this service may distinguish speakers. */
  readonly distinguishesSpeakers: boolean;
  /** Detects the language of documents whose language the request does not name. */
  readonly sourceDetector: SourceLanguageDetector;
}

type Owner = Pick<Caller, "keyId" | "userId"> & Partial<AccountsLanguages & Pick<Caller, "keywords">>;

/** @throws ValidationError for a URL that callbacks may not call. */
const checkCallbackUrl = (url: string | null | undefined, rules: CallbackRules): void => {
  const problem = typeof url === "string" ? callbackUrlProblem(url, rules) : undefined;
  if (problem !== undefined) throw invalidField(["body", "callback_url"], problem);
};

/** What a job has that is taken from its upload. */
type Upload<New> = Omit<New, "callback_url" | "file_id" | "key_id">;

/**
 * The language of a recording, or those that it may be in.
 *
 * @throws AppError `language_required` when nothing names one, or targets need it; `unsupported_parameter` for too many.
 */
const languagesOf = (
  { language, languages, targets }: TranscriptionJobRequest,
  owner: Owner,
  detectsLanguages: boolean,
): Pick<StoredTranscription, "language" | "languages"> => {
  if (language) return { language };
  const named = [...new Set(languages ?? [])];
  const candidates =
    named.length > 0
      ? named
      : languagesOfAccount({ defaultLanguage: undefined, defaultLanguages: [], ...owner }).map(
          ({ code }) => code,
        );
  checkCandidates(candidates, detectsLanguages);
  const [only, ...others] = candidates;
  if (only !== undefined && others.length === 0) return { language: only };
  if (targets)
    throw new AppError("language_required", {
      message: "Name the `language` of a recording with targets, or add its targets when it is transcribed.",
      param: "language",
    });
  return { language: undeterminedLanguage, languages: candidates };
};

/** Measures a recording. What its targets count is not known before it is transcribed: the most that they may is reserved. */
const readRecording = async (
  request: TranscriptionJobRequest,
  owner: Owner,
  signal: AbortSignal,
  dependencies: CreateDependencies,
): Promise<Upload<NewTranscriptionJob>> => {
  const { file_id: fileId, timestamps, speakers, targets: requested } = request;
  const languages = languagesOf(request, owner, dependencies.detectsLanguages);
  const options = { maxBytes: maxUploadBytes, budget: ReadingBudget.forBackgroundWork() };
  const upload = await openUpload(fileId, { userId: owner.userId, signal }, dependencies, options);
  const { source: _, stored, ...facts } = upload;
  const milliseconds = Math.round(facts.durationSeconds * 1_000);
  const targets = requested
    ? chooseTargets(requested, { ...languages, audio_milliseconds: milliseconds })
    : [];
  const keywords = [...(owner.keywords ?? []), ...(request.keywords ?? [])];
  return {
    ...(keywords.length > 0 ? { keywords } : {}),
    ...{ ...languages, timestamps, speakers, facts },
    ...{ object_key: stored.key, object_version: stored.version },
    ...(targets.length > 0 ? { targets, characters: maxCharactersOf(targets, milliseconds) } : {}),
  };
};

/** Reads a document and counts its characters. */
const measureDocument = async (
  request: TranslationJobRequest,
  userId: number,
  dependencies: CreateDependencies,
): Promise<Upload<NewTranslationJob>> => {
  const { source: from, target } = chooseLanguages(request);
  const { source, stored } = await openUploadedFile(request.file_id, userId, dependencies);
  checkDocumentSize(source.size);
  const retranslate = request.retranslate ?? undefined;
  const keepsFuzzy = request.keep_fuzzy ?? undefined;
  const header = request.header ?? undefined;
  const columns = request.columns ?? undefined;
  const bytes = await source.read(0, source.size);
  const options = { format: request.format, columns, header, retranslate, keepsFuzzy };
  const { document, format, characters } = await readSource(bytes, stored.key, options);
  const detected = from ? undefined : dependencies.sourceDetector.detect(document.sample);
  return {
    type: "translation",
    ...(from ? { source_language: from.code } : {}),
    ...(detected ? { detected_language: detected.code } : {}),
    target_language: target.code,
    format,
    ...(columns ? { columns } : {}),
    ...(header === undefined ? {} : { header }),
    ...(retranslate ? { retranslate } : {}),
    ...(keepsFuzzy === false ? { keep_fuzzy: keepsFuzzy } : {}),
    characters,
    object_key: stored.key,
    object_version: stored.version,
  };
};

const worksOf = (measured: Upload<NewTranscriptionJob> | Upload<NewTranslationJob>): NewWork[] =>
  "facts" in measured
    ? [
        { type: "transcription", amount: measured.facts.durationSeconds * 1_000 },
        ...workOnTargets(measured.targets ?? [], measured.characters ?? 0),
      ]
    : [{ type: "translation", amount: measured.characters }];

/** Returns a job with the price of what it translates. @param seconds until it is completed, estimated. */
export const createdView = (job: StoredJob, seconds: number): CreatedJob => {
  const hasPrice = job.type === "translation" || job.targets.length > 0;
  return {
    ...toJob(job),
    ...(hasPrice ? { estimate: { characters: job.characters, seconds: Math.ceil(seconds) } } : {}),
  };
};

/**
 * Creates a job: measures its recording or document, copies it to where it stays until the job ends, and counts it on the account's
 * month. When the job is not written, the worker removes the copy.
 *
 * @throws ValidationError when a recording is not audio, or callbacks may not call the URL; AppError `not_found`,
 * `unreadable_audio`, `unreadable_document`, `payload_too_large`, `file_too_large`, `queue_full`, `quota_exceeded`, those of
 * {@link chooseLanguages}, {@link languagesOf} and {@link chooseTargets}, `unsupported_parameter` for speakers; the errors of store and queue.
 */
export const createJob = async (
  request: JobRequest,
  owner: Owner,
  signal: AbortSignal,
  dependencies: CreateDependencies,
): Promise<CreatedJob> => {
  const { userId, keyId } = owner;
  const { jobs, queue, store, policyOf, callbackSecrets, callbackRules } = dependencies;
  const { callback_url: callbackUrl } = request;
  checkCallbackUrl(callbackUrl, callbackRules);
  if (request.type === "transcription" && request.speakers && !dependencies.distinguishesSpeakers)
    throw new AppError("unsupported_parameter", {
      message: "No model of this service distinguishes speakers.",
      param: "speakers",
    });
  const measured =
    request.type === "translation"
      ? await measureDocument(request, userId, dependencies)
      : await readRecording(request, owner, signal, dependencies);
  const seconds = await requireCapacity(userId, worksOf(measured), dependencies);
  // Creates the signing secret if the account has none yet.
  if (callbackUrl) await callbackSecrets.current(userId);
  const name = { userId, jobId: newJobId(Date.now()) };
  const common = { file_id: request.file_id, callback_url: callbackUrl ?? undefined, key_id: keyId };
  const job = await enqueue(name, queue, async () => {
    const stored = { key: measured.object_key, version: measured.object_version };
    await store.copy(stored, jobObjects.recording(name));
    return jobs.create(name, { ...common, ...measured }, policyOf);
  });
  return createdView(job, seconds);
};
