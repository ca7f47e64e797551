import { createServer } from "node:net";
import { describe, it, type TestContext } from "vitest";
import { legacyFunction } from "../../functions/legacy/definition.ts";
import { speechFunction } from "../../functions/speech/definition.ts";
import { speechEndpoints } from "../../functions/speech/endpoints.ts";
import { transcriptionFunction } from "../../functions/transcription/definition.ts";
import { transcriptionEndpoints } from "../../functions/transcription/endpoints.ts";
import { encodeAudio } from "../../shared/audio/encode/encode-audio.ts";
import { readAwsConfig } from "../../shared/platform/config/environment.ts";
import { AppError } from "../../shared/platform/errors/app-error.ts";
import { dependencyFailure } from "../../shared/platform/errors/dependency-failure.ts";
import type { LinkedObjectStore, ObjectStore } from "../../shared/platform/storage/object-store.ts";
import { openBucket, type StorageTimeouts } from "../../shared/platform/storage/s3-bucket.ts";
import { type Behaviour, hanging, responding, startFakeBackend } from "../support/fake-backend.ts";
import { speechOf } from "../support/fake-speech.ts";
import { linkedStoreAt } from "../support/faulty-aws.ts";
import { encodeForm } from "../support/multipart.ts";
import { authorizedCaller, send } from "../support/send.ts";

/** The service's own bucket, only less patient. */
const timeouts: StorageTimeouts = { response: 400, call: 1_000, piece: 400, copy: 1_000 };

/** Much more than the store gets: a call that waits for as long as a test may take fails that test. */
const notForEver = { timeout: 5_000 };

const size = 1_000_000;
const mebibyte = 1024 * 1024;
const wav = { contentType: "audio/wav" };
const never = new AbortController().signal;

/** Announces a body, sends a little of it and then nothing. */
const hangingInTheBody: Behaviour = (response) => {
  response.writeHead(206, { "Content-Length": size, ETag: '"1"' });
  response.write("RIFF");
};

/** Sends one byte after the other, endlessly. */
const dripping: Behaviour = (response) => {
  response.writeHead(206, { "Content-Length": size, ETag: '"1"' });
  const timer = setInterval(() => response.write("R"), 20);
  response.once("close", () => clearInterval(timer));
};

const startedUpload = responding(
  200,
  "<InitiateMultipartUploadResult><UploadId>1</UploadId></InitiateMultipartUploadResult>",
  { "Content-Type": "application/xml" },
);

type Call = "head" | "get" | "put" | "begin" | "part" | "complete" | "abort" | "delete";

const callOf = (method: string | undefined, url: string): Call => {
  if (method === "HEAD") return "head";
  if (method === "GET") return "get";
  if (method === "POST") return url.includes("uploads") ? "begin" : "complete";
  if (method === "DELETE") return url.includes("uploadId") ? "abort" : "delete";
  return url.includes("partNumber") ? "part" : "put";
};

const described: Behaviour = (response) => {
  response.writeHead(200, { "Content-Length": size, ETag: '"1"', "Content-Type": "audio/wav" }).end();
};

/** A store that responds to some calls, and is silent for others. */
const startStore = async (
  { onTestFinished }: TestContext,
  behaviours: Partial<Record<Call, Behaviour>> = {},
): Promise<LinkedObjectStore> => {
  const s3 = await startFakeBackend();
  onTestFinished(() => s3.close());
  s3.behave((response, request) => {
    const call = callOf(request.method, request.url ?? "");
    (behaviours[call] ?? hanging)(response, request);
  });
  return linkedStoreAt(s3.baseUrl, timeouts);
};

const writeLarge = async (store: ObjectStore): Promise<void> => {
  const writer = store.write("speech/large.wav", wav);
  for (let written = 0; written < 11; written += 1) await writer.write(Buffer.alloc(mebibyte));
  await writer.complete();
};

const readAll = async (store: ObjectStore): Promise<void> => {
  for await (const _ of store.stream("speech/a.wav", { signal: never }));
};

const listAll = async (store: ObjectStore): Promise<void> => {
  for await (const _ of store.list("speech/"));
};

const readRange = async (store: ObjectStore): Promise<unknown> =>
  (await store.open("speech/a.wav"))?.read(0, size);

const partTaken: Behaviour = (response) => void response.writeHead(200, { ETag: '"1"' }).end();

const calls: readonly [string, (store: ObjectStore) => Promise<unknown>, Partial<Record<Call, Behaviour>>][] =
  [
    ["an object is put", (store) => store.put("speech/a.wav", Buffer.from("RIFF"), wav), {}],
    ["a large object is put", (store) => store.put("speech/a.wav", Buffer.alloc(4 * mebibyte), wav), {}],
    ["an object is described", (store) => store.describe("speech/a.wav"), {}],
    ["an object is opened", (store) => store.open("speech/a.wav"), {}],
    ["an object is removed", (store) => store.delete("speech/a.wav"), {}],
    ["objects are listed", (store) => listAll(store), {}],
    ["a range is asked for", readRange, { head: described }],
    ["a range has begun", readRange, { head: described, get: hangingInTheBody }],
    ["a range comes byte by byte", readRange, { head: described, get: dripping }],
    ["a whole object is asked for", readAll, {}],
    ["a whole object has begun", readAll, { get: hangingInTheBody }],
    ["a small object is written", (store) => store.write("speech/a.wav", wav).complete(), {}],
    ["an upload in parts begins", writeLarge, {}],
    ["a part is uploaded", writeLarge, { begin: startedUpload }],
    ["an upload in parts ends", writeLarge, { begin: startedUpload, part: partTaken }],
    [
      "the answer to the last part has begun",
      writeLarge,
      { begin: startedUpload, part: partTaken, complete: hangingInTheBody },
    ],
  ];

describe.concurrent("a store that says nothing", notForEver, () => {
  it.for(calls)("when %s does not delay it", async ([, call, behaviours], context) => {
    const { expect } = context;
    const store = await startStore(context, behaviours);
    const failure = await call(store).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: "service_unavailable",
      status: 503,
      retryAfterSeconds: 5,
      message: expect.stringContaining("store of audio files"),
    });
    // So that no model's server is blamed for it.
    expect(failure instanceof AppError && dependencyFailure(failure.cause)).toBeInstanceOf(AppError);
  });

  it("and accepts no bytes either does not delay it", async (context) => {
    const { expect } = context;
    const server = createServer((socket) => socket.pause().on("error", () => undefined));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    context.onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === "object" ? address?.port : undefined;
    const store = linkedStoreAt(`http://127.0.0.1:${port}`, timeouts);
    await expect(store.put("speech/a.wav", Buffer.alloc(16 * mebibyte), wav)).rejects.toMatchObject({
      code: "service_unavailable",
    });
  });
});

describe("the time that the store gets", () => {
  it.for([speechFunction, transcriptionFunction, legacyFunction])(
    "is not a quarter of what the function $name has",
    ({ timeoutSeconds }, { expect }) => {
      const { response, call, piece } = openBucket("audio", readAwsConfig({})).timeouts;
      // The last is the abort of an upload in parts.
      expect(Math.max(call, piece) + response).toBeLessThan((timeoutSeconds * 1_000) / 4);
    },
  );
});

const speak = (store: LinkedObjectStore) =>
  send(
    speechEndpoints({
      synthesizer: { synthesize: async (request) => speechOf(request) },
      store,
      model: "model",
      encode: encodeAudio,
      platform: "platform",
    }),
    { path: "/tasks/audio/speech", body: { text: "Wasuze otya nno?" }, authorizer: authorizedCaller },
  );

const refreshLink = (store: LinkedObjectStore) =>
  send(
    speechEndpoints({
      synthesizer: { synthesize: () => Promise.reject(new Error("There is nothing to say.")) },
      store,
      model: "model",
      encode: encodeAudio,
      platform: "platform",
    }),
    {
      method: "GET",
      path: "/tasks/audio/speech/url",
      query: { storage_object: `speech/2026-11-20/7/${"a".repeat(32)}.wav` },
      authorizer: authorizedCaller,
    },
  );

const transcribe = async (store: LinkedObjectStore) =>
  send(
    transcriptionEndpoints({
      transcriber: { transcribe: () => Promise.reject(new Error("There is nothing to transcribe.")) },
      uploads: { find: async () => ({ objectKey: "uploads/a.wav", contentType: "audio/wav", userId: 7 }) },
      store,
    }),
    {
      path: "/tasks/audio/transcriptions",
      ...(await encodeForm({ file_id: "0b4a6a52-9a7c-4d0b-8d0e-3f1c9f3f3d11", language: "lug" })),
      authorizer: authorizedCaller,
    },
  );

const requests: readonly [
  string,
  (store: LinkedObjectStore) => ReturnType<typeof send>,
  Parameters<typeof startStore>[1],
][] = [
  ["speech that is put into the store", speak, {}],
  ["a fresh link", refreshLink, {}],
  ["an upload that is opened", transcribe, {}],
  ["an upload of which a range is asked for", transcribe, { head: described }],
  ["an upload of which a range has begun", transcribe, { head: described, get: hangingInTheBody }],
];

describe.concurrent("while the store says nothing", notForEver, () => {
  it.for(requests)("%s returns 503 and a time for another attempt", async ([, ask, behaviours], context) => {
    const { expect } = context;
    const store = await startStore(context, behaviours);
    const { status, headers, body } = await ask(store);
    expect({ status, code: body.error.code, retryAfter: headers["Retry-After"] }).toEqual({
      status: 503,
      code: "service_unavailable",
      retryAfter: "5",
    });
  });
});
