import { GetObjectCommand, HeadObjectCommand, PutObjectCommand, type S3Client } from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import {
  bucket,
  clientOf,
  fetchOutcome,
  refusalOf,
  sendRaw,
  startTestS3,
  type TestS3,
} from "./s3-fixture.ts";

let s3: TestS3;
/** A client for upload links. */
let presigning: S3Client;
beforeAll(async () => {
  s3 = await startTestS3();
  presigning = clientOf(s3.server.endpoint, { requestChecksumCalculation: "WHEN_REQUIRED" });
  await s3.put("speech.wav", "0123456789");
});
afterAll(async () => {
  presigning.destroy();
  await s3.close();
});

type Options = Parameters<typeof getSignedUrl>[2];

const uploadUrl = (key: string, options: Options = {}, client = presigning) =>
  getSignedUrl(client, new PutObjectCommand({ Bucket: bucket, Key: key, ContentType: "audio/wav" }), {
    expiresIn: 1800,
    signableHeaders: new Set(["content-type"]),
    ...options,
  });

const downloadUrl = (
  input: Partial<ConstructorParameters<typeof GetObjectCommand>[0]> = {},
  options: Options = {},
) => getSignedUrl(presigning, new GetObjectCommand({ Bucket: bucket, Key: "speech.wav", ...input }), options);

const wav = { method: "PUT", headers: { "content-type": "audio/wav" }, body: "RIFF" };

const withParameter = (url: string, name: string, change: (value: string) => string): string => {
  const changed = new URL(url);
  changed.searchParams.set(name, change(changed.searchParams.get(name) ?? ""));
  return changed.href;
};

const nextSecond = (timestamp: string): string =>
  timestamp.replace(/.Z$/, (end) => `${(Number(end[0]) + 1) % 10}Z`);

describe("An upload link", () => {
  it("accepts one body of its own content type", async () => {
    expect(await fetchOutcome(await uploadUrl("uploads/1/a.wav"), wav)).toBe("200 OK");
    const stored = await s3.client.send(new HeadObjectCommand({ Bucket: bucket, Key: "uploads/1/a.wav" }));
    expect(stored).toMatchObject({ ContentType: "audio/wav", ContentLength: 4 });
  });

  it("works for names in any script", async () => {
    const key = "uploads/2/eddoboozi (1) – 日本+語&?.wav";
    expect(await fetchOutcome(await uploadUrl(key), wav)).toBe("200 OK");
    expect(await s3.get(key)).toBe("RIFF");
  });

  it("of the SDK with its default settings works, although it contains the checksum of an empty body", async () => {
    const url = await uploadUrl("uploads/3/a.wav", {}, s3.client);
    expect(new URL(url).searchParams.get("x-amz-checksum-crc32")).toBe("AAAAAA==");
    expect(await fetchOutcome(url, wav)).toBe("200 OK");
    expect(await s3.get("uploads/3/a.wav")).toBe("RIFF");
  });

  it("refuses another content type, and none", async () => {
    const url = await uploadUrl("uploads/4/page.html");
    const html = { ...wav, headers: { "content-type": "text/html" } };
    expect(await fetchOutcome(url, html)).toBe("403 SignatureDoesNotMatch");
    const none = { method: "PUT", body: Buffer.from("RIFF") };
    expect(await fetchOutcome(url, none)).toBe("403 SignatureDoesNotMatch");
    expect(await refusalOf(s3.get("uploads/4/page.html"))).toBe("404 NoSuchKey");
  });

  it("refuses another length where the length was signed", async () => {
    const command = new PutObjectCommand({ Bucket: bucket, Key: "uploads/5/a.wav", ContentLength: 4 });
    const url = await getSignedUrl(presigning, command, { signableHeaders: new Set(["content-length"]) });
    expect(await fetchOutcome(url, { method: "PUT", body: "RIFF and more" })).toBe(
      "403 SignatureDoesNotMatch",
    );
    expect(await fetchOutcome(url, { method: "PUT", body: "RIFF" })).toBe("200 OK");
  });

  it("refuses headers that were not agreed on", async () => {
    const url = await uploadUrl("uploads/6/a.wav");
    for (const header of ["x-amz-meta-account", "x-amz-tagging", "x-amz-acl", "x-amz-copy-source"]) {
      const headers = { ...wav.headers, [header]: "audio/speech.wav" };
      expect(await fetchOutcome(url, { ...wav, headers }), header).toBe("403 AccessDenied");
    }
  });

  it("can demand metadata that is signed as headers", async () => {
    const command = new PutObjectCommand({
      Bucket: bucket,
      Key: "uploads/7/a.wav",
      Metadata: { account: "42", role: "guest" },
    });
    const demanded = ["x-amz-meta-role", "x-amz-meta-account"];
    const url = await getSignedUrl(presigning, command, { unhoistableHeaders: new Set(demanded) });
    const headers = { "x-amz-meta-role": "guest", "x-amz-meta-account": "42" };
    expect(await fetchOutcome(url, { ...wav, headers: { ...headers, "x-amz-meta-account": "1" } })).toBe(
      "403 SignatureDoesNotMatch",
    );
    expect(await fetchOutcome(url, { ...wav, headers })).toBe("200 OK");
    const stored = await s3.client.send(new HeadObjectCommand({ Bucket: bucket, Key: "uploads/7/a.wav" }));
    expect(stored).toMatchObject({ Metadata: { account: "42", role: "guest" } });
  });

  it("with metadata in its query is refused rather than taken without it", async () => {
    const command = new PutObjectCommand({
      Bucket: bucket,
      Key: "uploads/8/a.wav",
      Metadata: { account: "42" },
    });
    expect(await fetchOutcome(await getSignedUrl(presigning, command), wav)).toBe("501 NotImplemented");
  });
});

describe("A download link", () => {
  it("serves the object, whole or in part, to anyone who has it", async () => {
    const url = await downloadUrl();
    expect(await (await fetch(url)).text()).toBe("0123456789");
    const part = await fetch(url, { headers: { range: "bytes=2-4" } });
    expect([part.status, await part.text()]).toEqual([206, "234"]);
  });

  it("decides how the object is presented", async () => {
    const ResponseContentDisposition = `attachment; filename="a (1).wav"; filename*=UTF-8''%C5%8Ba.wav`;
    const url = await downloadUrl({ ResponseContentDisposition, ResponseContentType: "audio/x-wav" });
    const response = await fetch(url);
    expect(response.headers.get("content-disposition")).toBe(ResponseContentDisposition);
    expect(response.headers.get("content-type")).toBe("audio/x-wav");
    const inline = withParameter(url, "response-content-disposition", () => "inline");
    expect(await fetchOutcome(inline)).toBe("403 SignatureDoesNotMatch");
    const newline = await downloadUrl({ ResponseContentType: "audio/wav\r\nset-cookie: a=b" });
    expect(await fetchOutcome(newline)).toBe("400 InvalidArgument");
  });

  it("cannot be used for anything else", async () => {
    const url = await downloadUrl();
    for (const method of ["PUT", "DELETE", "POST"]) {
      expect(await fetchOutcome(url, { method }), method).toBe("403 SignatureDoesNotMatch");
    }
    expect(await fetchOutcome(url.replace("speech.wav", "other.wav"))).toBe("403 SignatureDoesNotMatch");
    expect(await fetchOutcome(`${url}&tagging`)).toBe("403 SignatureDoesNotMatch");
  });
});

describe("A link", () => {
  it.each<[string, (value: string) => string, string]>([
    [
      "X-Amz-Signature",
      (value) => value.replace(/^./, (digit) => (digit === "0" ? "1" : "0")),
      "403 SignatureDoesNotMatch",
    ],
    ["X-Amz-Signature", () => "", "403 SignatureDoesNotMatch"],
    ["X-Amz-Expires", () => "604800", "403 SignatureDoesNotMatch"],
    ["X-Amz-Expires", () => "604801", "400 AuthorizationQueryParametersError"],
    ["X-Amz-Expires", () => "0", "400 AuthorizationQueryParametersError"],
    ["X-Amz-Date", nextSecond, "403 SignatureDoesNotMatch"],
    ["X-Amz-Date", () => "20200101T000000Z", "400 AuthorizationQueryParametersError"],
    ["X-Amz-Date", () => "yesterday", "400 AuthorizationQueryParametersError"],
    ["X-Amz-Credential", (value) => value.replace("local", "other"), "403 InvalidAccessKeyId"],
    [
      "X-Amz-Credential",
      (value) => value.replace("eu-west-1", "us-east-1"),
      "400 AuthorizationQueryParametersError",
    ],
    ["X-Amz-Credential", () => "nonsense", "400 AuthorizationQueryParametersError"],
    ["X-Amz-SignedHeaders", () => "host;range", "403 SignatureDoesNotMatch"],
    ["X-Amz-SignedHeaders", () => "range", "400 AuthorizationQueryParametersError"],
    ["X-Amz-Algorithm", () => "none", "400 AuthorizationQueryParametersError"],
    ["X-Amz-Content-Sha256", () => "0".repeat(64), "403 SignatureDoesNotMatch"],
    ["x-id", () => "DeleteObject", "403 SignatureDoesNotMatch"],
  ])("is void after a change of its %s", async (name, change, refusal) => {
    expect(await fetchOutcome(withParameter(await downloadUrl(), name, change))).toBe(refusal);
  });

  it("is void for another host name", async () => {
    const { pathname, search, port } = new URL(await downloadUrl());
    const headers = { host: `localhost:${port}` };
    expect(await sendRaw(s3.server.endpoint, pathname + search, { headers })).toBe(
      "403 SignatureDoesNotMatch",
    );
  });

  it("is invalid once its time has passed, and before it starts", async () => {
    const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);
    const expired = await downloadUrl({}, { signingDate: minutesAgo(31), expiresIn: 1800 });
    const response = await fetch(expired);
    expect(response.status).toBe(403);
    expect(await response.text()).toMatch(
      /<Code>AccessDenied<\/Code><Message>Request has expired<\/Message>/,
    );
    expect(await fetchOutcome(await downloadUrl({}, { signingDate: minutesAgo(29), expiresIn: 1800 }))).toBe(
      "200 OK",
    );
    expect(await fetchOutcome(await downloadUrl({}, { signingDate: minutesAgo(-16) }))).toBe(
      "403 AccessDenied",
    );
    const lateUpload = await uploadUrl("uploads/9/late.wav", { signingDate: minutesAgo(31) });
    expect(await fetchOutcome(lateUpload, wav)).toBe("403 AccessDenied");
  });

  it("cannot be combined with an Authorization header", async () => {
    const headers = { authorization: "AWS4-HMAC-SHA256 Credential=a/b/c/s3/aws4_request" };
    expect(await fetchOutcome(await downloadUrl(), { headers })).toBe("400 InvalidArgument");
  });
});
