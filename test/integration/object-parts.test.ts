import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fetchOutcome } from "../support/storage-outcome.ts";
import { startTestBucket, type TestBucket } from "../support/test-bucket.ts";

let bucket: TestBucket;
let parts: TestBucket["parts"];
beforeAll(async () => {
  bucket = await startTestBucket();
  parts = bucket.parts;
});
afterAll(() => bucket.close());

const key = (name: string) => `uploads/${name}/a b'ŋ.wav`;
const put = (body: Buffer) => ({ method: "PUT", body });
const partBytes = 5 * 1024 * 1024;

describe("An object that is uploaded in parts", () => {
  it("contains what its links accepted, and nothing else", async () => {
    const uploadId = await parts.begin(key("1"), { contentType: "audio/wav" });
    const first = await bucket.store.signPart(key("1"), uploadId, { number: 1, size: partBytes });
    const second = await bucket.store.signPart(key("1"), uploadId, { number: 2, size: 3 });
    expect(await fetchOutcome(second.url, put(Buffer.from("ab")))).toBe("403 SignatureDoesNotMatch");
    expect(await fetchOutcome(second.url, put(Buffer.from("abc")))).toBe("200 OK");
    expect(await fetchOutcome(first.url, put(Buffer.alloc(partBytes, 1)))).toBe("200 OK");
    expect(await bucket.store.describe(key("1"))).toBeUndefined();

    const arrived = await parts.list(key("1"), uploadId);
    expect(arrived).toEqual([
      { number: 1, size: partBytes, tag: expect.stringMatching(/^"[0-9a-f]{32}"$/) },
      { number: 2, size: 3, tag: expect.stringMatching(/^"[0-9a-f]{32}"$/) },
    ]);
    expect(await parts.complete(key("1"), uploadId, arrived ?? [])).toBe(true);
    expect(await bucket.store.describe(key("1"))).toEqual({
      size: partBytes + 3,
      contentType: "audio/wav",
    });
    const opened = await bucket.store.open(key("1"));
    expect(Buffer.from((await opened?.read(partBytes - 1, partBytes + 3)) ?? []).toString("latin1")).toBe(
      "\u0001abc",
    );
  });

  it("has ended once it is completed or aborted: nothing can be listed, completed or sent", async () => {
    const uploadId = await parts.begin(key("2"), { contentType: "audio/wav" });
    const { url } = await bucket.store.signPart(key("2"), uploadId, { number: 1, size: 3 });
    await parts.abort(key("2"), uploadId);
    await parts.abort(key("2"), uploadId);
    expect(await parts.list(key("2"), uploadId)).toBeUndefined();
    expect(await parts.complete(key("2"), uploadId, [{ number: 1, tag: "x" }])).toBe(false);
    expect(await fetchOutcome(url, put(Buffer.from("abc")))).toBe("404 NoSuchUpload");
  });

  it("cannot be completed without all its parts", async () => {
    const uploadId = await parts.begin(key("3"), { contentType: "audio/wav" });
    expect(await parts.list(key("3"), uploadId)).toEqual([]);
    await expect(
      parts.complete(key("3"), uploadId, [{ number: 1, tag: "0".repeat(32) }]),
    ).rejects.toMatchObject({ code: "storage_unavailable" });
  });
});
