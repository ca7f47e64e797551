import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it, type TestContext, vi } from "vitest";
import type { ObjectStore } from "../../shared/platform/storage/object-store.ts";
import { type Behaviour, hanging, startFakeBackend } from "../support/fake-backend.ts";
import { linkedStoreAt } from "../support/faulty-aws.ts";
import { fetchOutcome } from "../support/storage-outcome.ts";
import { startTestBucket, type TestBucket } from "../support/test-bucket.ts";

let bucket: TestBucket;
beforeAll(async () => {
  bucket = await startTestBucket();
});
afterAll(() => bucket.close());
beforeEach(() => {
  bucket.calls.length = 0;
});

const mebibyte = 1024 * 1024;
const wav = { contentType: "audio/wav" };
const never = new AbortController().signal;

/** Bytes that tell where they belong. */
const pattern = (length: number): Buffer => {
  const bytes = Buffer.alloc(length);
  for (let offset = 0; offset + 4 <= length; offset += 4) bytes.writeUInt32LE(offset, offset);
  return bytes;
};

const writeInPieces = async (key: string, bytes: Buffer, piece: number, start?: Uint8Array) => {
  const writer = bucket.store.write(key, wav);
  for (let offset = 0; offset < bytes.length; offset += piece) {
    await writer.write(bytes.subarray(offset, offset + piece));
  }
  await writer.complete(start);
};

describe("an upload link", () => {
  it("accepts a file of its own content type, for 30 minutes", async () => {
    const before = Date.now();
    const { url, expiresAt } = await bucket.store.signUpload("uploads/1/a.mp3", {
      contentType: "audio/mpeg",
    });
    expect(expiresAt.getTime() - before).toBeGreaterThan(29 * 60_000);
    expect(expiresAt.getTime() - before).toBeLessThan(31 * 60_000);
    expect(new URL(url).searchParams.get("X-Amz-Expires")).toBe("1800");
    const put = (type: string) => ({ method: "PUT", headers: { "Content-Type": type }, body: "ID3" });
    expect(await fetchOutcome(url, put("text/html"))).toBe("403 SignatureDoesNotMatch");
    expect(await fetchOutcome(url, put("audio/mpeg"))).toBe("200 OK");
    expect(await bucket.store.describe("uploads/1/a.mp3")).toEqual({ size: 3, contentType: "audio/mpeg" });
  });
});

describe("an upload link for a length", () => {
  it("takes this length and no other, and not a body that does not say its length", async () => {
    const { url } = await bucket.store.signUpload("uploads/2/a.mp3", { contentType: "audio/mpeg", size: 3 });
    const put = (body: string | ReadableStream) => ({
      method: "PUT",
      headers: { "Content-Type": "audio/mpeg" },
      body,
      duplex: "half" as const,
    });
    expect(await fetchOutcome(url, put("ID"))).toBe("403 SignatureDoesNotMatch");
    expect(await fetchOutcome(url, put("ID34"))).toBe("403 SignatureDoesNotMatch");
    expect(await fetchOutcome(url, put(new Blob(["ID3"]).stream()))).toBe("403 SignatureDoesNotMatch");
    expect(await bucket.store.describe("uploads/2/a.mp3")).toBeUndefined();
    expect(await fetchOutcome(url, put("ID3"))).toBe("200 OK");
    expect(await bucket.store.describe("uploads/2/a.mp3")).toEqual({ size: 3, contentType: "audio/mpeg" });
  });
});

describe("a download link", () => {
  it("returns the object under a name, and 404 when there is none", async () => {
    await bucket.store.put("speech/1.wav", Buffer.from("RIFF"), wav);
    const link = (key: string) =>
      bucket.store.signDownload(key, { contentType: "audio/wav", fileName: "speech.wav" });
    const response = await fetch((await link("speech/1.wav")).url);
    expect(await response.text()).toBe("RIFF");
    expect(response.headers.get("content-type")).toBe("audio/wav");
    expect(response.headers.get("content-disposition")).toBe('inline; filename="speech.wav"');
    expect(await fetchOutcome((await link("speech/2.wav")).url)).toBe("404 NoSuchKey");
  });
});

describe("a stored object", () => {
  it("is described, read in ranges and removed", async () => {
    const bytes = pattern(100_000);
    await bucket.store.put("speech/ranges.wav", bytes, wav);
    const object = await bucket.store.open("speech/ranges.wav");
    expect(object?.size).toBe(100_000);
    expect(Buffer.from((await object?.read(10, 20)) ?? [])).toEqual(bytes.subarray(10, 20));
    expect(Buffer.from((await object?.read(99_990, 100_000)) ?? [])).toEqual(bytes.subarray(99_990));
    expect(await object?.read(5, 5)).toHaveLength(0);
    await expect(object?.read(99_990, 100_001)).rejects.toMatchObject({ code: "storage_unavailable" });
    await bucket.store.delete("speech/ranges.wav");
    await bucket.store.delete("speech/ranges.wav");
    expect(await bucket.store.open("speech/ranges.wav")).toBeUndefined();
    expect(await bucket.store.describe("speech/ranges.wav")).toBeUndefined();
  });

  it("is not mixed up with what replaces it while it is read", async () => {
    await bucket.store.put("speech/replaced.wav", Buffer.from("first"), wav);
    const object = await bucket.store.open("speech/replaced.wav");
    await bucket.store.put("speech/replaced.wav", Buffer.from("other"), wav);
    await expect(object?.read(0, 5)).rejects.toMatchObject({ code: "storage_unavailable" });
  });

  it.each([
    "speech/Eŋŋamba ekyʼoku5 – 2.wav",
    "speech/አማርኛ 🎙️.ogg",
    "speech/a+b c%20d&e=f?g#h;i:j@k,l$m.wav",
    "speech/!'()*~_-.wav",
    'speech/"<>[]{}|\\^`.wav',
    "speech//6/.hidden./a..b",
  ])("may be called %j", async (key) => {
    await bucket.store.put(key, Buffer.from(key), wav);
    expect(await bucket.read(key)).toEqual(Buffer.from(key));
    const object = await bucket.store.open(key);
    expect(await object?.read(0, object.size)).toEqual(Buffer.from(key));
    const { url } = await bucket.store.signDownload(key, { ...wav, fileName: "speech.wav" });
    expect(await (await fetch(url)).text()).toBe(key);
    await bucket.store.delete(key);
    expect(await bucket.store.describe(key)).toBeUndefined();
  });

  it("is read from start to end as it arrives", async () => {
    const bytes = pattern(3 * mebibyte);
    await bucket.store.put("speech/whole.wav", bytes, wav);
    const pieces: Uint8Array[] = [];
    for await (const piece of bucket.store.stream("speech/whole.wav", { signal: never })) pieces.push(piece);
    expect(pieces.length).toBeGreaterThan(1);
    expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
  });

  it("cannot be read when it is missing", async () => {
    const reading = bucket.store.stream("speech/missing.wav", { signal: never })[Symbol.asyncIterator]();
    await expect(reading.next()).rejects.toMatchObject({ code: "storage_unavailable", status: 502 });
  });
});

describe("a body on its way from S3", () => {
  /** A store whose next responses a test writes itself. */
  const startStore = async ({ onTestFinished }: TestContext, ...behaviours: Behaviour[]) => {
    const s3 = await startFakeBackend();
    onTestFinished(() => s3.close());
    s3.behave(...behaviours);
    const timeouts = { response: 5_000, call: 10_000, piece: 50, copy: 10_000 };
    return linkedStoreAt(s3.baseUrl, timeouts);
  };
  const read = (store: ObjectStore, signal: AbortSignal) =>
    store.stream("speech/whole.wav", { signal })[Symbol.asyncIterator]();
  const pausing: Behaviour = (response) => {
    response.writeHead(200, { "Content-Length": 10 }).write("RIFF");
  };

  it("may not pause for long", async (context) => {
    const reading = read(await startStore(context, pausing), never);
    expect((await reading.next()).value).toEqual(Buffer.from("RIFF"));
    await expect(reading.next()).rejects.toMatchObject({ code: "service_unavailable" });
  });

  it("waits for a reader that takes its time", async (context) => {
    const large = Buffer.alloc(mebibyte, "x");
    const store = await startStore(context, (response) => void response.end(large));
    const reading = read(store, never);
    let length = (await reading.next()).value?.length ?? 0;
    await sleep(120);
    for (let next = await reading.next(); !next.done; next = await reading.next())
      length += next.value.length;
    expect(length).toBe(mebibyte);
  });

  it("is let go when its reader leaves, and when the signal says so", async (context) => {
    const closed: string[] = [];
    const noting =
      (name: string): Behaviour =>
      (response, request) => {
        response.once("close", () => closed.push(name));
        pausing(response, request);
      };
    const store = await startStore(context, noting("left"), noting("stopped"));
    for await (const _ of store.stream("speech/whole.wav", { signal: never })) break;
    await vi.waitFor(() => expect(closed).toEqual(["left"]));

    const stop = new AbortController();
    const stopped = read(store, stop.signal);
    await stopped.next();
    const waiting = stopped.next();
    setImmediate(() => stop.abort());
    await expect(waiting).rejects.toMatchObject({ code: "storage_unavailable" });
    await vi.waitFor(() => expect(closed).toEqual(["left", "stopped"]));
  });

  it("whose caller runs out of time is no silence of S3", async (context) => {
    const store = await startStore(context, hanging);
    const reading = read(store, AbortSignal.timeout(50));
    await expect(reading.next()).rejects.toMatchObject({ code: "storage_unavailable" });
  });
});

describe("an object of unknown length", () => {
  it("is stored with one request when it is small", async () => {
    const bytes = pattern(100_000);
    await writeInPieces("speech/small.wav", bytes, 7_000);
    expect(await bucket.read("speech/small.wav")).toEqual(bytes);
    expect(await bucket.contentType("speech/small.wav")).toBe("audio/wav");
    expect(bucket.calls).toEqual(["PutObject"]);
  });

  it.each([5, 10, 17])("is stored in parts when it has %i MiB", async (size) => {
    const bytes = pattern(size * mebibyte + (size === 17 ? 3 : 0));
    const key = `speech/${size}.wav`;
    await writeInPieces(key, bytes, 700_000, Buffer.from("RIFFsize"));
    const stored = await bucket.read(key);
    expect(stored?.subarray(0, 8).toString()).toBe("RIFFsize");
    expect(stored?.subarray(8).equals(bytes.subarray(8))).toBe(true);
    expect(await bucket.contentType(key)).toBe("audio/wav");
    expect(bucket.calls.at(-1)).toBe("CompleteMultipartUpload");
  });

  it("may be empty", async () => {
    await bucket.store.write("speech/empty.wav", wav).complete();
    expect(await bucket.read("speech/empty.wav")).toEqual(Buffer.alloc(0));
  });

  it("can be seen only once it is complete", async () => {
    const writer = bucket.store.write("speech/later.wav", wav);
    for (let part = 0; part < 4; part += 1) await writer.write(pattern(4 * mebibyte));
    expect(await bucket.store.describe("speech/later.wav")).toBeUndefined();
    await writer.complete();
    expect(await bucket.store.describe("speech/later.wav")).toMatchObject({ size: 16 * mebibyte });
  });

  it.each([1, 12, 30])("leaves nothing when it is given up after %i MiB", async (size) => {
    const bodies = await bucket.storedBodies();
    const writer = bucket.store.write("speech/given-up.wav", wav);
    for (let written = 0; written < size; written += 1) await writer.write(pattern(mebibyte));
    await writer.abort();
    await writer.abort();
    await vi.waitFor(async () => expect(await bucket.storedBodies()).toBe(bodies));
    expect(await bucket.store.describe("speech/given-up.wav")).toBeUndefined();
    const started = bucket.calls.filter((call) => call === "CreateMultipartUpload").length;
    expect(bucket.calls.filter((call) => call === "AbortMultipartUpload")).toHaveLength(started);
  });

  it.each(["CreateMultipartUpload", "UploadPart", "CompleteMultipartUpload"])(
    "leaves nothing when %s fails",
    async (call) => {
      const bodies = await bucket.storedBodies();
      bucket.failNext(call);
      await expect(
        writeInPieces("speech/failed.wav", pattern(16 * mebibyte), mebibyte),
      ).rejects.toMatchObject({ code: "storage_unavailable" });
      await vi.waitFor(async () => expect(await bucket.storedBodies()).toBe(bodies));
      expect(await bucket.store.describe("speech/failed.wav")).toBeUndefined();
    },
  );

  it("does not go away by giving up after it was stored", async () => {
    const writer = bucket.store.write("speech/stays.wav", wav);
    await writer.write(Buffer.from("RIFF"));
    await writer.complete();
    await writer.abort();
    expect(await bucket.read("speech/stays.wav")).toEqual(Buffer.from("RIFF"));
  });
});

describe("a store that fails", () => {
  it.each([
    ["PutObject", () => bucket.store.put("speech/x.wav", Buffer.from("x"), wav)],
    ["HeadObject", () => bucket.store.describe("speech/x.wav")],
    ["HeadObject", () => bucket.store.open("speech/x.wav")],
    ["DeleteObject", () => bucket.store.delete("speech/x.wav")],
  ])("is reported as such (%s)", async (call, use) => {
    bucket.failNext(call);
    await expect(use()).rejects.toMatchObject({ code: "storage_unavailable" });
  });
});

describe("Objects", () => {
  it("are listed by how their names begin, page by page, with the names as given and their sizes", async () => {
    const { store } = bucket;
    const many = Array.from({ length: 1_003 }, (_, index) => `list/7/${index}.wav`);
    const odd = ["list/7/a b+c%20&<d>.wav", "list/7/Ŋŋamba.wav"];
    for (const name of [...many, ...odd, "list/70/a.wav"]) await store.put(name, Buffer.from("a"), wav);
    const listed: string[] = [];
    for await (const { name, size } of store.list("list/7/")) listed.push(`${name}: ${size}`);
    expect(listed.toSorted()).toEqual([...many, ...odd].map((name) => `${name}: 1`).toSorted());
    for await (const { name } of store.list("list/none/")) expect.unreachable(name);
  });
});
