import { createWriteStream } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { archiveLimits } from "../../functions/export/archive-entries.ts";
import { exportFunction } from "../../functions/export/contract.ts";
import { checkZip, type OpenedZip, openZip } from "../support/check-zip.ts";
import { runCommand } from "../support/run-service.ts";
import { startTestBucket, type TestBucket } from "../support/test-bucket.ts";
import { twoYears, vanished } from "../support/two-years.ts";

const archive = "exports/7/archive.zip";
/** A quarter of the function's memory. */
const heapMegabytes = 256;

const result = z.object({ size: z.int(), seconds: z.number(), megabytes: z.number() });
const linkedFiles = z.array(z.object({ name: z.string(), size: z.int().nullable(), link: z.url() }));

let folder: string;
let bucket: TestBucket;
beforeAll(async () => {
  [folder, bucket] = await Promise.all([mkdtemp(join(tmpdir(), "language-ai-export-")), startTestBucket()]);
});
afterAll(async () => {
  await bucket.close();
  await rm(folder, { recursive: true });
});

/** Lets the functions' own code write the archive in a process of its own. */
const writeInProcess = async () => {
  const { endpoint, name } = bucket.address;
  const { ended, output } = runCommand("test/integration/export-process.ts", [endpoint, name, archive], {
    LOG_LEVEL: "SILENT",
    NODE_OPTIONS: `--max-old-space-size=${heapMegabytes}`,
  });
  expect(await ended, output()).toBe(0);
  return result.parse(JSON.parse(output()));
};

/** Downloads the archive with two links: the connection breaks off, and the second request continues. */
const download = async (path: string, size: number): Promise<void> => {
  const link = () =>
    bucket.store.signDownload(archive, { contentType: "application/zip", fileName: "a.zip" });
  const first = await fetch((await link()).url);
  const broken = async function* () {
    let arrived = 0;
    for await (const piece of first.body ?? []) {
      yield piece;
      arrived += piece.length;
      if (arrived > size / 3) return;
    }
  };
  await pipeline(Readable.from(broken()), createWriteStream(path));
  const { size: arrived } = await stat(path);
  expect(arrived).toBeLessThan(size / 2);
  const rest = await fetch((await link()).url, { headers: { Range: `bytes=${arrived}-` } });
  expect(rest.status).toBe(206);
  expect(rest.headers.get("content-range")).toBe(`bytes ${arrived}-${size - 1}/${size}`);
  await pipeline(Readable.from(rest.body ?? []), createWriteStream(path, { flags: "a" }));
  expect((await stat(path)).size).toBe(size);
};

const textOf = async ({ files }: OpenedZip, name: string): Promise<string> =>
  String(await files.find((file) => file.name === name)?.read());

const countIn = ({ files }: OpenedZip, prefix: string): number =>
  files.filter(({ name }) => name.startsWith(prefix)).length;

const expectItems = async (zip: OpenedZip): Promise<void> => {
  const { jobs, callbacks, keys, sessions, transcriptions, uploads, largeUploads } = twoYears;
  const counts = {
    jobs,
    callbacks,
    keys,
    sessions,
    transcriptions,
    uploads: uploads + largeUploads,
    account: 1,
  };
  for (const [name, count] of Object.entries(counts)) {
    expect(JSON.parse(await textOf(zip, `${name}.json`)), name).toHaveLength(count);
  }
  const usage = (await textOf(zip, "usage.csv")).split("\r\n");
  expect(usage).toHaveLength(400 * 200 + 2);
  expect(usage.at(-2)).toMatch(/^\d{4}-\d\d-\d\d,,operation9,key9,/);
};

const expectFiles = async (zip: OpenedZip): Promise<void> => {
  const linked = linkedFiles.parse(JSON.parse(await textOf(zip, "links.json")));
  expect(countIn(zip, "uploads/")).toBe(twoYears.uploads);
  expect(countIn(zip, "jobs/")).toBe(twoYears.jobs);
  expect(countIn(zip, "transcriptions/")).toBe(twoYears.transcriptions);
  const speech = twoYears.days * twoYears.speechPerDay;
  expect(countIn(zip, "speech/")).toBeGreaterThan(1_000);
  expect(linked).toHaveLength(twoYears.largeUploads + speech - countIn(zip, "speech/"));
  const names = new Set([...zip.files, ...linked].map(({ name }) => name));
  expect(names).toHaveLength(zip.files.length + linked.length);
  expect(names).not.toContain(vanished);
  const bytes = zip.files.filter(({ name }) => name.includes("/")).reduce((sum, { size }) => sum + size, 0);
  expect(bytes).toBeLessThanOrEqual(archiveLimits.maxBytes);
  expect(bytes).toBeGreaterThan(archiveLimits.maxBytes - 1_024 ** 2);
};

describe("The export of an account with two years of everything", () => {
  it("needs half of the function's memory and time, is complete, and can be continued", async () => {
    const { size, seconds, megabytes } = await writeInProcess();
    expect(megabytes).toBeLessThan(exportFunction.memoryMegabytes / 2);
    expect(seconds).toBeLessThan(exportFunction.timeoutSeconds / 2);
    const path = join(folder, "archive.zip");
    await download(path, size);
    const zip = await openZip(path);
    try {
      await checkZip(path, zip);
      await expectItems(zip);
      await expectFiles(zip);
    } finally {
      await zip.close();
    }
  });
});
