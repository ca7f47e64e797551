import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { ListObjectsV2Command, type ListObjectsV2CommandInput } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { bucket, refusalOf, sendRaw, startTestS3, type TestS3 } from "./s3-fixture.ts";

let s3: TestS3;
beforeAll(async () => {
  s3 = await startTestS3();
});
afterAll(() => s3.close());

const list = (input: Partial<ListObjectsV2CommandInput>) =>
  s3.client.send(new ListObjectsV2Command({ Bucket: bucket, ...input }));

describe("A key", () => {
  it.each([
    ["climbing out of the directory", "../../../escaped.txt"],
    ["of two dots", ".."],
    ["with dots in the middle", "x/./y/../z"],
    ["with empty segments", "a//b///c"],
    ["beginning with a slash", "/leading"],
    ["ending with a slash", "directory/"],
    ["with every kind of punctuation", "it's (1)! *~+&?=#%41,;:@$ \"<>\\|^`{}[]"],
    ["in other scripts", "ŋŋamba/日本 語/😀"],
    ["with control characters", "tab\there\u0001"],
    ["of 1,024 bytes", "k".repeat(1024)],
    ["named like a property of every JavaScript object", "__proto__"],
  ])("%s is a name like any other", async (_description, key) => {
    await s3.put(key, `content of ${key}`);
    expect(await s3.get(key)).toBe(`content of ${key}`);
    const { Contents } = await list({ Prefix: key });
    expect(Contents?.map(({ Key }) => Key)).toContain(key);
  });

  it("never becomes a path on the disk", async () => {
    await s3.put("../../escaped-upwards.txt", "x");
    expect(readdirSync(s3.dataDirectory).sort()).toContain("bodies");
    expect(readdirSync(dirname(s3.dataDirectory))).not.toContain("escaped-upwards.txt");
    const bodies = readdirSync(join(s3.dataDirectory, "bodies"));
    expect(bodies.length).toBeGreaterThan(0);
    for (const name of bodies) expect(name).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("may be the beginning of another one", async () => {
    await s3.put("file", "1");
    await s3.put("file/below", "2");
    expect([await s3.get("file"), await s3.get("file/below")]).toEqual(["1", "2"]);
  });

  it("of more than 1,024 bytes is refused", async () => {
    expect(await refusalOf(s3.put("ŋ".repeat(513), "x"))).toBe("400 KeyTooLongError");
  });

  it("that is not UTF-8 is refused", async () => {
    expect(await sendRaw(s3.server.endpoint, `/${bucket}/%ff`)).toBe("400 InvalidURI");
  });
});

describe("A listing", () => {
  const keys = ["list/A", "list/a/1", "list/a/2", "list/a/3", "list/b", "list/c/1", "list/\uffee", "list/😀"];
  beforeAll(async () => {
    await Promise.all([...keys, "listing", "lisp"].map((key) => s3.put(key, key)));
  });

  const pages = async (input: Partial<ListObjectsV2CommandInput>) => {
    const found: (string | undefined)[][] = [];
    for (let token: string | undefined, more = true; more; ) {
      const page = await list({ ...input, ContinuationToken: token });
      const entries = [
        ...(page.Contents ?? []).map(({ Key }) => Key),
        ...(page.CommonPrefixes ?? []).map(({ Prefix }) => Prefix),
      ];
      expect(page.KeyCount).toBe(entries.length);
      found.push(entries);
      token = page.NextContinuationToken;
      more = page.IsTruncated === true;
    }
    return found;
  };

  it("has the keys with the prefix, in the order of their UTF-8 bytes, with size and entity tag", async () => {
    const { Contents } = await list({ Prefix: "list/" });
    expect(Contents?.map(({ Key }) => Key)).toEqual(keys);
    expect(Contents?.[0]).toMatchObject({
      Size: 6,
      StorageClass: "STANDARD",
      ETag: expect.stringMatching(/^"[0-9a-f]{32}"$/),
    });
  });

  it("comes in pages that together have every key once", async () => {
    expect(await pages({ Prefix: "list/", MaxKeys: 3 })).toEqual([
      keys.slice(0, 3),
      keys.slice(3, 6),
      keys.slice(6),
    ]);
    expect(await pages({ Prefix: "list/", MaxKeys: 8 })).toEqual([keys]);
  });

  it("groups keys by a delimiter, each group once, across pages too", async () => {
    const grouped = await pages({ Prefix: "list/", Delimiter: "/" });
    expect(grouped).toEqual([["list/A", "list/b", "list/\uffee", "list/😀", "list/a/", "list/c/"]]);
    expect(await pages({ Prefix: "list/", Delimiter: "/", MaxKeys: 1 })).toEqual(
      ["list/A", "list/a/", "list/b", "list/c/", "list/\uffee", "list/😀"].map((entry) => [entry]),
    );
  });

  it("begins after a key", async () => {
    const { Contents } = await list({ Prefix: "list/", StartAfter: "list/a/3" });
    expect(Contents?.map(({ Key }) => Key)).toEqual(keys.slice(4));
  });

  it("is empty where there is nothing, and when no key is requested", async () => {
    expect(await list({ Prefix: "nowhere/" })).toMatchObject({ KeyCount: 0, IsTruncated: false });
    expect(await list({ Prefix: "list/", MaxKeys: 0 })).toMatchObject({ KeyCount: 0, IsTruncated: false });
  });

  it("encodes keys when asked to", async () => {
    const { Contents, EncodingType } = await list({ Prefix: "list/😀", EncodingType: "url" });
    expect(EncodingType).toBe("url");
    expect(Contents?.[0]?.Key).toBe("list%2F%F0%9F%98%80");
  });
});
