import { describe, expect, it } from "vitest";
import { openJobRecording } from "../../../../functions/job-worker/plan-job.ts";
import type { ObjectStore } from "../../../../shared/platform/storage/object-store.ts";
import { openUpload } from "../../../../shared/recordings/uploads/open-upload.ts";
import { audioBytes, wavFile } from "../../../support/wav.ts";

const file = wavFile(audioBytes(3_200));

/** A bucket that stores no versions, as some S3-compatible servers. */
const store: Pick<ObjectStore, "delete" | "open"> = {
  delete: async () => undefined,
  open: async (key) =>
    key.startsWith("uploads/")
      ? { size: file.length, read: async (start, end) => file.subarray(start, end) }
      : undefined,
};

describe("An upload in a bucket without versions", () => {
  it("is opened when it is sent, and again by its job", async () => {
    const upload = { objectKey: "uploads/7/a.wav", contentType: "audio/wav", userId: 7, size: file.length };
    const { stored } = await openUpload(
      "a",
      { userId: 7, signal: new AbortController().signal },
      { uploads: { find: async () => upload }, store },
    );
    expect(stored).toEqual({ key: "uploads/7/a.wav", version: "" });
    const source = await openJobRecording(store, {
      user_id: 7,
      id: "j",
      object_key: stored.key,
      object_version: stored.version,
    });
    expect(source.size).toBe(file.length);
  });
});
