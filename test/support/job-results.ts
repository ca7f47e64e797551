import { accountPoliciesWith } from "../../shared/accounts/limits/policies.ts";
import type { ObjectStore } from "../../shared/platform/storage/object-store.ts";
import { addTargets, measureTargets } from "../../shared/recordings/jobs/add-targets.ts";
import { getResult } from "../../shared/recordings/jobs/get-result.ts";
import type { StoredTranscription } from "../../shared/recordings/jobs/job.ts";
import { type JobResult, jobResult } from "../../shared/recordings/jobs/job-result.ts";
import type { JobName } from "../../shared/recordings/jobs/keys.ts";
import type { ResultQuery, WrittenResult } from "../../shared/recordings/jobs/result-query.ts";
import type { TranscriptTarget } from "../../shared/recordings/jobs/target.ts";
import type { FakeModel, JobWorks } from "./job-works.ts";
import { readAll } from "./read-all.ts";

/** Three segments in each piece; the last one of a piece has a short slot. */
export const saySegments: FakeModel = async (piece) => {
  const segments = [1, 200, 498].map((start, index) => ({
    start,
    end: start + 1.5,
    text: `${piece} part ${index}`,
  }));
  return { text: segments.map(({ text }) => text).join(" "), segments };
};

/** Reads the results of jobs of a test, and adds targets to them, as the API does. */
export const resultsOver = (store: ObjectStore) => {
  const result = (
    works: JobWorks,
    name: JobName,
    query: Partial<ResultQuery> = {},
  ): Promise<JobResult | WrittenResult> =>
    getResult(name, { partial: false, ...query }, { jobs: works.jobs, store });

  return {
    result,

    fileOf: async (...given: Parameters<typeof result>): Promise<Buffer> => {
      const found = await result(...given);
      if (!("contentType" in found)) throw new Error("This is JSON.");
      const { body } = found;
      if (typeof body === "string") return Buffer.from(body);
      return body instanceof Uint8Array ? Buffer.from(body) : Buffer.concat(await readAll(body));
    },

    jsonOf: async (...given: Parameters<typeof result>): Promise<JobResult> =>
      jobResult.parse(await result(...given)),

    add: async (
      works: JobWorks,
      name: JobName,
      requested: readonly TranscriptTarget[],
    ): Promise<StoredTranscription> => {
      const dependencies = { ...works, store, policyOf: accountPoliciesWith(1) };
      return addTargets(name, await measureTargets(name, requested, dependencies), dependencies);
    },
  };
};
