import { GetObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { readAwsConfig } from "../../../../shared/platform/config/environment.ts";
import { AppError } from "../../../../shared/platform/errors/app-error.ts";
import type { ObjectLinks, ObjectStore } from "../../../../shared/platform/storage/object-store.ts";
import { createS3Links } from "../../../../shared/platform/storage/s3-links.ts";
import {
  type Behaviour,
  type FakeBackend,
  resetting,
  responding,
  startFakeBackend,
} from "../../../support/fake-backend.ts";
import { linkedStoreAt } from "../../../support/faulty-aws.ts";

const wav = { contentType: "audio/wav" };
const presentation = { contentType: "audio/wav", fileName: "speech.wav" };

const awkwardKeys = [
  "uploads/9d3c/interview.mp3",
  "uploads/1/Eŋŋamba ekyʼoku5 – 2.wav",
  "uploads/2/አማርኛ 🎙️.ogg",
  "uploads/3/a+b c%20d&e=f?g#h;i:j@k,l$m.wav",
  "uploads/4/!'()*~_-.wav",
  'uploads/5/"<>[]{}|\\^`.wav',
  "uploads//6/.hidden./a..b",
];

describe("a link", () => {
  const credentials = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG" };
  const now = new Date("2026-11-22T05:30:00Z");
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["Date"], now });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  interface Target {
    readonly region: string;
    readonly endpoint?: string;
    readonly sessionToken?: string;
  }
  const inIreland: Target = { region: "eu-west-1" };

  const storeIn = ({ region, endpoint, sessionToken }: Target): ObjectLinks =>
    createS3Links(
      "audio-files",
      readAwsConfig({
        AWS_REGION: region,
        AWS_ACCESS_KEY_ID: credentials.accessKeyId,
        AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
        AWS_SESSION_TOKEN: sessionToken,
        AWS_ENDPOINT_URL_S3: endpoint,
      }),
    );

  const signedBySdk = async (
    { region, endpoint, sessionToken }: Target,
    command: GetObjectCommand | PutObjectCommand,
  ): Promise<string> => {
    const client = new S3Client({
      region,
      ...(endpoint ? { endpoint, forcePathStyle: true } : {}),
      credentials: { ...credentials, ...(sessionToken ? { sessionToken } : {}) },
      requestChecksumCalculation: "WHEN_REQUIRED",
      responseChecksumValidation: "WHEN_REQUIRED",
    });
    const signableHeaders = new Set(["content-type", "content-length"]);
    return getSignedUrl(client, command, { expiresIn: 1_800, signingDate: now, signableHeaders });
  };

  /** The address and every raw parameter; only their order is irrelevant. */
  const partsOf = (url: string): string[] => {
    const [address = "", query = ""] = url.split("?", 2);
    return [address, ...query.split("&").toSorted()];
  };

  const uploadOf = (Key: string, ContentLength?: number) =>
    new PutObjectCommand({ Bucket: "audio-files", Key, ContentType: "audio/mpeg", ContentLength });
  const downloadOf = (Key: string) =>
    new GetObjectCommand({
      Bucket: "audio-files",
      Key,
      ResponseContentType: presentation.contentType,
      ResponseContentDisposition: `inline; filename="${presentation.fileName}"`,
    });

  it.each(awkwardKeys)("is the one that the SDK signs, for an object called %j", async (key) => {
    const store = storeIn(inIreland);
    const upload = await store.signUpload(key, { contentType: "audio/mpeg" });
    expect(partsOf(upload.url)).toEqual(partsOf(await signedBySdk(inIreland, uploadOf(key))));
    const download = await store.signDownload(key, presentation);
    expect(partsOf(download.url)).toEqual(partsOf(await signedBySdk(inIreland, downloadOf(key))));
    expect([upload.expiresAt, download.expiresAt]).toEqual([
      new Date("2026-11-22T06:00:00Z"),
      new Date("2026-11-22T06:00:00Z"),
    ]);
  });

  it.each<Target>([
    { region: "us-east-1" },
    { region: "af-south-1", sessionToken: "IQoJb3JpZ2luX2VjE+a/b=c==" },
    { region: "cn-north-1" },
    { region: "eu-west-1", endpoint: "http://127.0.0.1:4566" },
  ])("is the one that the SDK signs, for %j", async (target) => {
    const [key = ""] = awkwardKeys;
    const store = storeIn(target);
    const upload = await store.signUpload(key, { contentType: "audio/mpeg", size: 104_857_600 });
    expect(partsOf(upload.url)).toEqual(partsOf(await signedBySdk(target, uploadOf(key, 104_857_600))));
    expect(new URL(upload.url).searchParams.get("X-Amz-SignedHeaders")).toBe(
      "content-length;content-type;host",
    );
    const download = await store.signDownload(key, presentation);
    expect(partsOf(download.url)).toEqual(partsOf(await signedBySdk(target, downloadOf(key))));
  });

  it.each(["uploads/../secrets", "./a", "uploads/."])(
    "is refused for %s, which every client would read as another object",
    async (key) => {
      await expect(storeIn(inIreland).signDownload(key, presentation)).rejects.toMatchObject({
        code: "storage_unavailable",
        cause: { message: "A segment of the object's key is . or .." },
      });
    },
  );
});

describe("a call to S3", () => {
  let s3: FakeBackend;
  let store: ObjectStore;
  beforeEach(async () => {
    s3 = await startFakeBackend();
    store = linkedStoreAt(s3.baseUrl, { response: 2_000, call: 5_000, piece: 2_000, copy: 5_000 });
  });
  afterEach(() => s3.close());

  const xml = (status: number, body: string) =>
    responding(status, body, { "Content-Type": "application/xml" });
  const refusing = (status: number, code: string) =>
    xml(
      status,
      `<?xml version="1.0"?><Error><Code>${code}</Code><Message>the secret words</Message></Error>`,
    );

  const failureOf = async (call: Promise<unknown>): Promise<AppError> => {
    const failure = await call.catch((error: unknown) => error);
    if (!(failure instanceof AppError)) throw new Error("The call did not fail as one of our errors does.");
    return failure;
  };

  const writeLarge = async (): Promise<void> => {
    const writer = store.write("speech/large.wav", wav);
    for (let written = 0; written < 6; written += 1) await writer.write(Buffer.alloc(1024 * 1024));
    await writer.complete();
  };
  const started = xml(
    200,
    "<InitiateMultipartUploadResult><UploadId>up.1_-2</UploadId></InitiateMultipartUploadResult>",
  );
  const partTaken = responding(200, "", { ETag: '"0a1b"' });
  const joined = xml(
    200,
    "<CompleteMultipartUploadResult><ETag>&quot;0a1b-2&quot;</ETag></CompleteMultipartUploadResult>",
  );

  it.each([
    ["PutObject", () => store.put("speech/x.wav", Buffer.from("x"), wav)],
    ["HeadObject", () => store.describe("speech/x.wav")],
    ["HeadObject", () => store.open("speech/x.wav")],
    ["DeleteObject", () => store.delete("speech/x.wav")],
    ["CreateMultipartUpload", writeLarge],
  ] as const)(
    "that is refused (%s) is not repeated, and reports S3's code without its message",
    async (operation, call) => {
      s3.behave(refusing(403, "AccessDenied"));
      const failure = await failureOf(call());
      expect(failure).toMatchObject({ code: "storage_unavailable", status: 502 });
      const code = operation === "HeadObject" ? "Unknown" : "AccessDenied";
      expect(failure.cause).toMatchObject({
        name: code,
        message: `S3 responded with status 403, ${code}.`,
      });
      expect(s3.received).toHaveLength(1);
    },
  );

  it.each<[string, Behaviour]>([
    ["fails", refusing(500, "InternalError")],
    ["is busy", refusing(503, "SlowDown")],
    ["has waited too long", refusing(400, "RequestTimeout")],
    ["breaks the connection", resetting],
    [
      "breaks off in its response",
      (response) => {
        response.writeHead(200, { "Content-Length": 10 }).write("half");
        setImmediate(() => response.destroy());
      },
    ],
  ])("is tried three times while S3 %s", async (_what, behaviour) => {
    s3.behave(behaviour, behaviour, responding(200, ""));
    await store.put("speech/x.wav", Buffer.from("RIFF"), wav);
    expect(s3.received.map(({ body }) => body)).toEqual(["RIFF", "RIFF", "RIFF"]);
    s3.behave(behaviour);
    expect(await failureOf(store.put("speech/x.wav", Buffer.from("RIFF"), wav))).toMatchObject({
      code: "storage_unavailable",
    });
    expect(s3.received).toHaveLength(3);
  });

  it("that stores an object in parts names each of them once, in their order", async () => {
    s3.behave(started, partTaken, partTaken, joined);
    await writeLarge();
    expect(s3.received.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "POST /audio/speech/large.wav?uploads=",
      "PUT /audio/speech/large.wav?partNumber=2&uploadId=up.1_-2&x-id=UploadPart",
      "PUT /audio/speech/large.wav?partNumber=1&uploadId=up.1_-2&x-id=UploadPart",
      "POST /audio/speech/large.wav?uploadId=up.1_-2",
    ]);
    expect(s3.received[0]?.headers["content-type"]).toBe("audio/wav");
    const joining = s3.received.at(-1)?.body ?? "";
    expect(
      [...joining.matchAll(/<ETag>&quot;0a1b&quot;<\/ETag><PartNumber>(\d)</g)].map(([, n]) => n),
    ).toEqual(["1", "2"]);
  });

  it("that joins parts has failed when S3 says so behind a status of success", async () => {
    const failing = refusing(200, "InternalError");
    s3.behave(started, partTaken, partTaken, failing, failing, joined);
    await writeLarge();
    expect(s3.received).toHaveLength(6);
    s3.behave(started, partTaken, partTaken, failing, failing, failing, responding(204, ""));
    expect(await failureOf(writeLarge())).toMatchObject({
      code: "storage_unavailable",
      cause: { name: "InternalError" },
    });
    expect(s3.received.at(-1)).toMatchObject({ method: "DELETE" });
  });

  it.each([
    ["begins an upload without giving it an id", [xml(200, "<InitiateMultipartUploadResult/>")]],
    ["takes a part without giving it a tag", [started, responding(200, ""), responding(204, "")]],
  ])("fails when S3 %s", async (_what, behaviours) => {
    s3.behave(...behaviours);
    expect(await failureOf(writeLarge())).toMatchObject({ code: "storage_unavailable" });
  });

  it("for a range reads no more than requested, should S3 send the whole object", async () => {
    let sent = 0;
    const endless: Behaviour = (response) => {
      const more = (): void => {
        sent += 65_536;
        if (!response.destroyed) response.write(Buffer.alloc(65_536), () => setImmediate(more));
      };
      more();
    };
    s3.behave(responding(200, "", { "Content-Length": "0", ETag: '"1"' }), endless);
    const object = await store.open("speech/x.wav");
    expect(await failureOf(object?.read(0, 10) ?? Promise.resolve())).toMatchObject({
      code: "storage_unavailable",
      cause: { name: "RangeError" },
    });
    expect(s3.received.at(-1)?.headers).toMatchObject({ range: "bytes=0-9", "if-match": '"1"' });
    expect(sent).toBeLessThan(16 * 1024 * 1024);
  });
});
