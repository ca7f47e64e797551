import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  beginUpload,
  completeUpload,
  type PartsDependencies,
  showUpload,
  signParts,
} from "../../functions/upload/upload-in-parts.ts";
import { maxUploadBytes, partBytes } from "../../shared/platform/storage/object-store.ts";
import { createUploadsRepository } from "../../shared/recordings/uploads/uploads-repository.ts";
import { endurance } from "../support/endurance.ts";
import { startTestBucket, type TestBucket } from "../support/test-bucket.ts";
import { createTestAccount, startTestTable, type TestTable } from "../support/test-table.ts";

let bucket: TestBucket;
let table: TestTable;
beforeAll(async () => {
  [bucket, table] = await Promise.all([startTestBucket(), startTestTable()]);
});
afterAll(() => Promise.all([bucket.close(), table.close()]));

/** The last of few parts is half of one. */
const size = endurance(11.5 * partBytes, maxUploadBytes);
const parts = endurance(12, 100);

describe("A large upload", () => {
  it(`arrives in ${parts} parts, of which every tenth breaks off once, and is one file`, async () => {
    const dependencies: PartsDependencies = {
      store: bucket.store,
      parts: bucket.parts,
      uploads: createUploadsRepository(table.openForRequests()),
    };
    const userId = await createTestAccount(table.open());
    const file = { file_name: "day.wav", content_type: "audio/wav", size };
    const { id, part_count: count } = await beginUpload(file, userId, dependencies);
    const numbers = Array.from({ length: count }, (_, index) => index + 1);
    expect(count).toBe(parts);
    for (const { number, size: partSize, upload_url: url } of (
      await signParts(id, numbers, userId, dependencies)
    ).parts) {
      const body = Buffer.alloc(partSize, number);
      if (number % 10 === 0) {
        const broken = new ReadableStream({
          start: (controller) => controller.enqueue(body.subarray(0, partSize / 2)),
          pull: (controller) => controller.error(new Error("The connection is lost.")),
        });
        const options = { method: "PUT", body: broken, duplex: "half" } as const;
        await expect(fetch(url, options)).rejects.toThrow();
      }
      expect((await fetch(url, { method: "PUT", body })).status).toBe(200);
    }
    expect((await showUpload(id, userId, dependencies)).arrived).toEqual(numbers);
    const done = await completeUpload(id, userId, dependencies);
    expect(done).toMatchObject({ file_id: id, size });
    expect(await completeUpload(id, userId, dependencies)).toEqual(done);

    const found = await dependencies.uploads.findParted(id, userId);
    const object = await bucket.store.open(found?.objectKey ?? "");
    for (const number of numbers.slice(1)) {
      const seam = (number - 1) * partBytes;
      expect([...((await object?.read(seam - 1, seam + 1)) ?? [])]).toEqual([number - 1, number]);
    }
  });
});
