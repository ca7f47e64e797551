import { AppError } from "../../platform/errors/app-error.ts";
import type { ObjectStore } from "../../platform/storage/object-store.ts";
import type { StoredJob } from "./job.ts";
import type { ResultFormat } from "./job-result.ts";
import type { JobsRepository } from "./jobs-repository.ts";

export interface ResultDependencies {
  readonly jobs: Pick<JobsRepository, "find">;
  readonly store: Pick<ObjectStore, "open">;
}

export interface ResultQuery {
  /** Of a recording: the language of a target. By default the transcript. */
  readonly language?: string | undefined;
  /** Of a transcript, by default JSON; a translated document has the format of its source. */
  readonly format?: ResultFormat | "audio" | undefined;
  readonly partial: boolean;
}

/** A result that is not JSON. */
export interface WrittenResult {
  readonly contentType: string;
  /** For documents and speech. */
  readonly fileName?: string;
  readonly body: string | Uint8Array | AsyncIterable<Uint8Array>;
}

/** The error for a result that does not exist yet. */
export const notCompleted = ({ status, error }: StoredJob): AppError =>
  new AppError("job_not_completed", {
    message:
      status === "failed" || status === "cancelled"
        ? `The job has ${status === "failed" ? "failed" : "been cancelled"}: ${error?.message ?? "the reason is unknown."} Use partial=true to get what was done before.`
        : undefined,
  });

/** The error for a result whose objects are gone. */
export const expired = (): AppError =>
  new AppError("not_found", { message: "The result has expired.", param: "id" });
