/** The model ids of the sample server, for `CHAT_MODEL_14B` and `CHAT_MODEL_9B`. Both give the same answers. */
export const sampleModels = { model14b: "sample-14b", model9b: "sample-9b" } as const;

/** The ids in the order in which they are listed. */
export const sampleModelIds: readonly string[] = Object.values(sampleModels);
