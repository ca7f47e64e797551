// Writes the archive of an account with two years of everything, in a process of its own with little memory:
// node export-process.ts <endpoint of S3> <bucket> <name of the archive>
// It prints what that has used as JSON.

import { archiveEntries, archiveLimits } from "../../functions/export/archive-entries.ts";
import { exportUsage } from "../../functions/export/export-usage.ts";
import { writeArchive } from "../../functions/export/write-archive.ts";
import { AppError } from "../../shared/platform/errors/app-error.ts";
import { storedKinds } from "../../shared/wiring/stored-kinds.ts";
import { openTestStore } from "../support/test-bucket.ts";
import { contentOf, filesIn, itemAt, itemsOf, owner, sizeOf, vanished } from "../support/two-years.ts";

/** What 1,024 MB of Lambda have of a processor. */
const shareOfProcessor = 1_024 / 1_769;
const seconds = { callOfTable: 0.01, callOfStore: 0.03, megabyte: 1 / 50 };

/** What the work has used, as Lambda would. */
const used = { callsOfTable: 0, callsOfStore: 0, megabytes: 0 };
const usedSeconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (
    (user + system) / 1_000_000 / shareOfProcessor +
    used.callsOfTable * seconds.callOfTable +
    used.callsOfStore * seconds.callOfStore +
    used.megabytes * seconds.megabyte
  );
};

const [endpoint = "", name = "", archive = ""] = process.argv.slice(2);
const bucket = openTestStore({ endpoint, name });

const table = {
  read: async (read: Parameters<typeof itemAt>[0]) => {
    used.callsOfTable += 1;
    return itemAt(read);
  },
  query: async (query: Parameters<typeof itemsOf>[0]) => {
    const items = itemsOf(query);
    used.callsOfTable += 1 + Math.floor(items.length / 200);
    return items;
  },
};

const store = {
  describe: async (file: string) => {
    used.callsOfStore += 1;
    return file === vanished ? undefined : { size: sizeOf(file), contentType: "audio/wav" };
  },
  async *list(folder: string) {
    let listed = 0;
    used.callsOfStore += 1;
    for (const file of filesIn(folder)) {
      listed += 1;
      if (listed % 1_000 === 0) used.callsOfStore += 1;
      yield { name: file, size: sizeOf(file) };
    }
  },
  async *stream(file: string) {
    used.callsOfStore += 1;
    if (file === vanished) throw new AppError("storage_unavailable");
    for await (const piece of contentOf(file)) {
      used.megabytes += piece.length / 1_024 ** 2;
      yield piece;
    }
  },
};

const writer = bucket.write(archive, { contentType: "application/zip" });
const entries = archiveEntries(owner, {
  ...{ table, store, kinds: storedKinds, limits: archiveLimits },
  usageCsv: (of) => exportUsage(of, table, { a: "a", b: "b" }),
  linkTo: (file) => `https://api.example.com/auth/me/export/file?${new URLSearchParams({ name: file })}`,
  hasTime: () => usedSeconds() < 510,
  signal: AbortSignal.timeout(570_000),
});
const size = await writeArchive(entries, {
  ...{ complete: () => writer.complete(), abort: () => writer.abort() },
  write: (bytes) => {
    used.megabytes += bytes.length / 1_024 ** 2;
    return writer.write(bytes);
  },
});
process.stdout.write(
  `${JSON.stringify({ size, seconds: usedSeconds(), megabytes: process.resourceUsage().maxRSS / 1_024 })}\n`,
);
