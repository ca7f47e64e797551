/** Partition keys of saved transcriptions begin with it; permissions go by it. */
export const transcriptionKeyPrefix = "TRANSCRIPTION#";

/** The key table of this folder's README, in code. No other file spells a key. */
export const transcriptionKeys = {
  /** S1: a saved transcription by its id. */
  transcription: (id: number) => ({ PK: `${transcriptionKeyPrefix}${id}`, SK: "TRANSCRIPTION" }),
  /** S3: which transcriptions a kept recording belongs to, by its name in the store. */
  recording: (objectKey: string) => ({
    PK: `${transcriptionKeyPrefix}RECORDING#${objectKey}`,
    SK: "RECORDING",
  }),
  /** S2: the last id given out. */
  idCounter: () => ({ PK: `${transcriptionKeyPrefix}COUNTER`, SK: "COUNTER" }),
};
