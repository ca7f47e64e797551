import type { ModelTask } from "../../platform/telemetry/backend-uses.ts";

/** A server of a task, by its name if it is in a list; the address of the only one has none. */
export interface CalledServer {
  readonly task: ModelTask;
  readonly server?: string | undefined;
}

/** The prefix of the partition keys of this folder, which permissions use. */
export const modelKeyPrefix = "MODELS#";

const slicePrefix = "SLICE#";

/** The key table of this folder's README in code. */
export const modelKeys = {
  /** H1: the calls to the server of a task in ten minutes, counted from 1970. The numbers have eight digits for centuries. */
  slice: ({ task, server }: CalledServer, slice: number) => ({
    PK: `${modelKeyPrefix}${task}${server === undefined ? "" : `#${server}`}`,
    SK: `${slicePrefix}${slice}`,
  }),
};
