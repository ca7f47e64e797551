import type { ModelTask } from "../../platform/telemetry/backend-uses.ts";

/** The prefix of the partition keys of this folder, which permissions use. */
export const modelKeyPrefix = "MODELS#";

const slicePrefix = "SLICE#";

/** The key table of this folder's README in code. */
export const modelKeys = {
  /** H1: the calls to the server of a task in ten minutes, counted from 1970. The numbers have eight digits for centuries. */
  slice: (task: ModelTask, slice: number) => ({
    PK: `${modelKeyPrefix}${task}`,
    SK: `${slicePrefix}${slice}`,
  }),
};
