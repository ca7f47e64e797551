/** The prefix of the partition keys of saved transcriptions, which permissions use. */
export const transcriptionKeyPrefix = "TRANSCRIPTION#";

/** The key table of the README of `functions/legacy` in code. No other file contains a key. */
export const transcriptionKeys = {
  /** S1: a saved transcription. */
  transcription: (id: number) => ({ PK: `${transcriptionKeyPrefix}${id}`, SK: "TRANSCRIPTION" }),
  /** S3: the transcriptions that need a stored recording. */
  recording: (objectKey: string) => ({
    PK: `${transcriptionKeyPrefix}RECORDING#${objectKey}`,
    SK: "RECORDING",
  }),
  /** S2: the last id. */
  idCounter: () => ({ PK: `${transcriptionKeyPrefix}COUNTER`, SK: "COUNTER" }),
};
