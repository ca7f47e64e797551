import { accountKeys } from "../../shared/accounts/access/keys.ts";
import { limitKeys } from "../../shared/accounts/limits/keys.ts";
import { dayCounter, usageUnits } from "../../shared/accounts/limits/usage-counters.ts";
import { usageLifetimeDays } from "../../shared/accounts/limits/usage-items.ts";
import { dateOfDay, windowsAt } from "../../shared/accounts/limits/windows.ts";
import { dayMilliseconds } from "../../shared/platform/durations.ts";
import { speechFolderOf } from "../../shared/platform/storage/object-store.ts";
import type { DataOwner } from "../../shared/platform/storage/stored-kinds.ts";
import type { Item, ItemRead, TableQuery } from "../../shared/platform/storage/table.ts";
import { callbackKeys } from "../../shared/recordings/callbacks/keys.ts";
import { jobKeys } from "../../shared/recordings/jobs/keys.ts";

const megabyte = 1_024 * 1_024;

/** How much an account has stored that has used everything for two years. Items and files are generated when they are read. */
export const twoYears = {
  days: 2 * 365,
  jobs: 2_500,
  /** Of each job: they are not exported. */
  pieces: 10,
  keys: 50,
  sessions: 200,
  callbacks: 3_000,
  uploads: 12,
  /** Larger than what an archive contains of one file. */
  largeUploads: 2,
  transcriptions: 500,
  speechPerDay: 55,
} as const;

const sizes = {
  upload: 50 * megabyte,
  largeUpload: 80 * megabyte,
  transcript: 40 * 1_024,
  transcription: 100 * 1_024,
  speech: 240_044,
} as const;

const now = Date.now();
export const owner: DataOwner = {
  id: 7,
  username: "council",
  email: "council@example.com",
  created_at: new Date(now - (twoYears.days - 1) * dayMilliseconds).toISOString(),
};
const { id } = owner;

const padded = (index: number): string => String(index).padStart(8, "0");
const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** Items of a partition whose sort keys begin alike. */
interface Group {
  readonly prefix: string;
  readonly count: number;
  readonly item: (index: number) => Item;
}

const text = (length: number): string => "Amazzi gava mu nsulo. ".repeat(length / 22 + 1).slice(0, length);

const jobs: Group = {
  prefix: jobKeys.jobs,
  count: twoYears.jobs,
  item: (index) => ({
    ...{ id: padded(index), type: "transcription", status: "completed", language: "lug" },
    ...{ callback_url: `https://example.com/${text(200)}`, result: text(1_500) },
  }),
};
const callbacks: Group = {
  prefix: callbackKeys.deliveriesPrefix,
  count: twoYears.callbacks,
  item: () => ({
    status: "delivered",
    deliveries: range(10).map((attempt) => ({ attempt, status: 200, reason: text(200) })),
  }),
};
const keys: Group = {
  prefix: "KEY#",
  count: twoYears.keys,
  item: (index) => ({ name: `key ${index}`, prefix: "lai_" }),
};
const sessions: Group = {
  prefix: "SESSION#",
  count: twoYears.sessions,
  item: () => ({ created_at: owner.created_at, user_agent: text(200) }),
};

const uploadNames = range(twoYears.uploads + twoYears.largeUploads).map(
  (index) => `uploads/${padded(index)}.wav`,
);
const owned: Group = {
  prefix: "",
  count: uploadNames.length + twoYears.transcriptions,
  item: (index) => {
    const upload = uploadNames[index];
    return upload === undefined
      ? {
          items: [{ PK: `TRANSCRIPTION#${index}`, SK: "TRANSCRIPTION" }],
          objects: [`transcriptions/${padded(index)}.mp3`],
        }
      : { items: [{ PK: `UPLOAD#${index}`, SK: "UPLOAD" }], objects: [upload] };
  },
};

const groups: ReadonlyMap<string, readonly Group[]> = new Map([
  [jobKeys.ofAccount(id), [jobs]],
  [callbackKeys.ofAccount(id), [callbacks]],
  [accountKeys.profile(id).PK, [keys, sessions]],
  [accountKeys.owned(id, "").PK, [owned]],
]);

/** Usage of 20 operations with each of 10 keys. */
const usageOn = (day: number): Item => {
  const counters = range(200).flatMap((index) => {
    const row = { day, operationId: `operation${index % 20}`, keyId: `key${(index / 20) | 0}` };
    return usageUnits.map((unit) => [dayCounter({ ...row, unit }), index + 1] as const);
  });
  return { ...limitKeys.usage(dateOfDay(day), id), ...Object.fromEntries(counters) };
};

const usageIn = ({ partition, between: [first, last] = ["", "~"] }: TableQuery): Item[] => {
  const { day: today } = windowsAt(now);
  return range(usageLifetimeDays)
    .map((age) => ({ day: today - age, key: limitKeys.usage(dateOfDay(today - age), id) }))
    .filter(({ key: { PK, SK } }) => PK === partition && SK >= first && SK <= last)
    .map(({ day }) => usageOn(day));
};

/** Returns the items of a query, like a table does. */
export const itemsOf = (query: TableQuery): Item[] => {
  const { partition, beginsWith = "", limit = Number.POSITIVE_INFINITY, after } = query;
  if (partition.startsWith(limitKeys.usageOfMonth(""))) return usageIn(query);
  const found: Item[] = [];
  for (const { prefix, count, item } of groups.get(partition) ?? []) {
    if (!prefix.startsWith(beginsWith)) continue;
    const start = after ? Number(after.SK.slice(prefix.length)) + 1 : 0;
    const end = Math.min(count, start + limit - found.length);
    for (let index = start; index < end; index += 1) {
      found.push({ PK: partition, SK: `${prefix}${padded(index)}`, ...item(index) });
    }
  }
  return found;
};

export const itemAt = ({ Key }: ItemRead): Item | undefined => {
  const isStored = [accountKeys.profile(id), accountKeys.access(id)].some(
    ({ PK, SK }) => PK === Key.PK && SK === Key.SK,
  );
  if (isStored) return { ...Key, ...owner, account_type: "Premium" };
  return /^(?:UPLOAD|TRANSCRIPTION)#/.test(Key.PK)
    ? { ...Key, id: 1, text: text(2_000), object_key: Key.PK }
    : undefined;
};

/** The recording of a job that has ended since its folder was listed. */
export const vanished = `jobs/${id}/${padded(0)}/recording`;

export const sizeOf = (name: string): number => {
  if (name.startsWith("uploads/"))
    return uploadNames.indexOf(name) < twoYears.uploads ? sizes.upload : sizes.largeUpload;
  if (name.startsWith("transcriptions/")) return sizes.transcription;
  return name.startsWith("speech/") ? sizes.speech : sizes.transcript;
};

/** Returns the names of the files in a folder of the account. */
export function* filesIn(folder: string): Iterable<string> {
  if (folder === `jobs/${id}/`) {
    yield vanished;
    for (const job of range(twoYears.jobs).map((index) => `${folder}${padded(index)}/`)) {
      yield `${job}result.json`;
      yield* range(twoYears.pieces).map((piece) => `${job}pieces/${padded(piece)}.json`);
    }
  }
  const isOfDays =
    folder === speechFolderOf(id, new Date(folder.split("/")[1] ?? now)) &&
    folder <= speechFolderOf(id, new Date(now));
  if (isOfDays) yield* range(twoYears.speechPerDay).map((index) => `${folder}${padded(index)}.wav`);
}

const pieceBytes = 64 * 1_024;
/** Audio cannot be compressed. */
const noise = Buffer.from(range(pieceBytes).map((index) => (index * index * 2_654_435_761) >>> 24));

/** The content of a file, in new pieces of memory like those that a network delivers. */
export async function* contentOf(name: string): AsyncIterable<Uint8Array> {
  const size = sizeOf(name);
  const source = name.endsWith(".json") ? Buffer.from(text(pieceBytes)) : noise;
  for (let start = 0; start < size; start += pieceBytes)
    yield Buffer.from(source.subarray(0, Math.min(pieceBytes, size - start)));
}
