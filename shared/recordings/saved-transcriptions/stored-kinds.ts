import { daySeconds } from "../../platform/durations.ts";
import { transcriptionsFolder, transcriptionsLifetimeDays } from "../../platform/storage/object-store.ts";
import { type ItemKind, type ObjectKind, onlyAttributes } from "../../platform/storage/stored-kinds.ts";
import { transcriptionKeyPrefix } from "./keys.ts";

const lasts = { seconds: transcriptionsLifetimeDays * daySeconds } as const;

/** S1 to S3 of the README in `functions/legacy`. */
export const transcriptionKinds: readonly ItemKind[] = [
  {
    id: "legacy S1",
    what: "A transcription that a deprecated route has saved",
    about: "account",
    keys: [transcriptionKeyPrefix, "TRANSCRIPTION"],
    lasts,
    erased: { by: "record" },
    exported: {
      file: "transcriptions.json",
      row: onlyAttributes("id", "text", "language", "object_key", "created_at"),
    },
  },
  {
    id: "legacy S2",
    what: "The last number of a saved transcription",
    about: "service",
    keys: [`${transcriptionKeyPrefix}COUNTER`, "COUNTER"],
    lasts: { until: "the service ends" },
    erased: { by: "none", why: "It is about no one." },
    exported: { never: "It is about no one." },
  },
  {
    id: "legacy S3",
    what: "Which saved transcriptions need a recording",
    about: "account",
    keys: [`${transcriptionKeyPrefix}RECORDING#`, "RECORDING"],
    lasts,
    erased: { by: "record" },
    exported: { never: "It repeats what transcriptions.json contains." },
  },
];

/** The audio of saved transcriptions. */
export const transcriptionFiles: ObjectKind = {
  id: "transcriptions",
  what: "The audio of transcriptions that a deprecated route has saved",
  about: "account",
  folder: transcriptionsFolder,
  lasts,
  erased: { by: "record" },
  exported: { folder: "transcriptions/" },
};
