import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import {
  ensureTable,
  LambdaService,
  localCredentials,
  localRegion,
  type StandIns,
  sdkVariables,
  startStandIns,
} from "@language-ai/aws-stand-ins";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { transcriptionFunction } from "../../functions/transcription/definition.ts";
import { bundleOptions } from "../../infra/bundling/bundle-options.ts";
import { accountKeys } from "../../shared/accounts/access/keys.ts";
import { readAwsConfig } from "../../shared/platform/config/environment.ts";
import { openLightTable } from "../../shared/platform/storage/light-table.ts";
import { maxRecordingBytes } from "../../shared/recordings/uploads/open-upload.ts";
import { createUploadsRepository } from "../../shared/recordings/uploads/uploads-repository.ts";
import { makeMp4 } from "../fixtures/audio/make-mp4.ts";
import { makeMp3Frame, repeat } from "../fixtures/audio/make-mpeg.ts";
import { lambdaEvent } from "../support/lambda-event.ts";
import { limitsText } from "../support/limits-text.ts";
import { encodeForm, type FormValue } from "../support/multipart.ts";
import { type RecordingServer, readingSlowly, startRecordingServer } from "../support/recording-server.ts";
import { authorizedCaller } from "../support/send.ts";
import { testClient } from "../support/test-table.ts";
import { wavHeaderBytes } from "../support/wav.ts";

const bucket = "audio";
const tableName = "language-ai";

/** Runs next to the function and measures, over and over, the peak memory of its process, in MB. */
const observer = `
  import { readFileSync } from "node:fs";
  export { handler } from "./index.mjs";
  let peak = 0;
  const residentKilobytes = () => {
    try {
      return Number(/VmHWM:\\s+(\\d+)/.exec(readFileSync("/proc/self/status", "utf8"))?.[1]);
    } catch {
      return process.memoryUsage.rss() / 1024;
    }
  };
  setInterval(() => {
    peak = Math.max(peak, residentKilobytes());
    console.log("peak " + Math.round(peak / 1024));
  }, 100).unref();
`;

let directory: string;
let services: StandIns;
let model: RecordingServer;
let lambda: LambdaService;
let peakMegabytes = 0;
const output: string[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "language-ai-transcription-"));
  const bundles = join(directory, "bundles");
  await build(bundleOptions({ transcription: "functions/transcription/handler.ts" }, bundles));
  await writeFile(join(bundles, "transcription", "observed.mjs"), observer);

  services = await startStandIns({ dataDirectory: join(directory, "data") });
  await services.s3?.ensureBucket(bucket, {});
  services.secrets.putSecret("inference-keys", "{}");
  const client = testClient(services.endpoints.dynamoDb);
  await ensureTable(client, tableName, {
    AttributeDefinitions: [
      { AttributeName: "PK", AttributeType: "S" },
      { AttributeName: "SK", AttributeType: "S" },
    ],
    KeySchema: [
      { AttributeName: "PK", KeyType: "HASH" },
      { AttributeName: "SK", KeyType: "RANGE" },
    ],
  });
  client.destroy();

  await openItems().put({
    ...accountKeys.access(7),
    account_type: "Free",
    disabled: false,
    token_epoch: 0,
    email_verified: true,
    revoked: {},
  });
  model = await startRecordingServer(readingSlowly(1));
  lambda = new LambdaService({
    functions: [
      {
        name: "transcription",
        directory: join(bundles, "transcription"),
        handler: "observed.handler",
        timeoutSeconds: 60,
        memoryMegabytes: transcriptionFunction.memoryMegabytes,
        environment: {
          ...sdkVariables(services),
          TABLE_NAME: tableName,
          BUCKET_NAME: bucket,
          LIMITS: limitsText,
          INFERENCE_KEYS_SECRET_ID: "inference-keys",
          TOKEN_SECRET_ID: "token-signing-key",
          TRANSCRIPTION_BASE_URL: model.baseUrl,
          TRANSCRIPTION_MODEL: "model-1",
          TRANSCRIPTION_TIMEOUT_MS: "30000",
          TRANSCRIPTION_FEATURES: '{"detectsLanguages":false,"distinguishesSpeakers":false}',
          TRANSLATION_BASE_URL: model.baseUrl,
          TRANSLATION_MODEL: "model-1",
          TRANSLATION_TIMEOUT_MS: "30000",
        },
      },
    ],
    log: (_name, line) => {
      const peak = /^peak (\d+)$/.exec(line)?.[1];
      if (peak) peakMegabytes = Number(peak);
      else output.push(line);
    },
  });
});
afterAll(async () => {
  await lambda.close();
  await model.close();
  await services.close();
  await rm(directory, { recursive: true, force: true });
});

const openItems = () =>
  openLightTable(tableName, readAwsConfig({ AWS_ENDPOINT_URL: services.endpoints.dynamoDb }));

/** Puts a file where an upload link would have put it. @returns its file id. */
const upload = async (body: Buffer, userId?: number): Promise<string> => {
  const fileId = randomUUID();
  const objectKey = `uploads/${fileId}/recording`;
  // The accounts of these tests have no items.
  const items = { ...openItems(), read: async () => ({}) };
  await createUploadsRepository(items).add(fileId, { objectKey, contentType: "audio/x", userId });
  const s3 = new S3Client({
    endpoint: services.endpoints.s3,
    region: localRegion,
    credentials: localCredentials,
    forcePathStyle: true,
  });
  await s3.send(new PutObjectCommand({ Bucket: bucket, Key: objectKey, Body: body }));
  s3.destroy();
  return fileId;
};

const prelude = z.object({ statusCode: z.int() });

/** The function's response. A stream starts with its metadata, up to eight zero bytes. */
const invoke = async (fields: Readonly<Record<string, FormValue>>) => {
  const event = lambdaEvent({
    path: "/tasks/audio/transcriptions",
    authorizer: authorizedCaller,
    ...(await encodeForm({ language: "lug", ...fields })),
  });
  const result = await lambda.invoke("transcription", event);
  if (result.kind !== "stream") throw new Error(`The function answered with ${JSON.stringify(result)}.`);
  const { body } = result;
  const [metadata = "", content = ""] = (await text(body)).split("\0".repeat(8));
  return { status: prelude.parse(JSON.parse(metadata)).statusCode, body: JSON.parse(content) };
};

const maxSized = {
  WAV: async () => {
    const header = wavHeaderBytes(maxRecordingBytes - 44, { stated: true });
    return Buffer.concat([header, Buffer.alloc(maxRecordingBytes - header.length)]);
  },
  // Must be read to its end to be measured.
  MP3: async () => repeat(makeMp3Frame(), Math.floor(maxRecordingBytes / 104)),
  // Has its index at its end.
  M4A: async () => makeMp4(3_190, "end", 32 * 1024),
} as const;

describe("the bundled transcription function", () => {
  it.each(Object.entries(maxSized))(
    "sends on 100 MB of %s within 200 MB of memory",
    async (_format, make) => {
      const bytes = await make();
      expect(bytes.length).toBeGreaterThan(0.99 * maxRecordingBytes);
      const response = await invoke({ file_id: await upload(bytes, 7) });
      expect(response, output.join("\n")).toMatchObject({
        status: 200,
        body: { text: "Oli otya?", usage: { input_audio_bytes: bytes.length } },
      });
      expect(peakMegabytes).toBeGreaterThan(40);
      expect(peakMegabytes).toBeLessThan(200);
    },
    60_000,
  );

  it("refuses an upload that is larger, and removes it", async () => {
    const bytes = Buffer.alloc(maxRecordingBytes + 1);
    const fileId = await upload(bytes);
    expect(await invoke({ file_id: fileId })).toMatchObject({ status: 413 });
    expect(await invoke({ file_id: fileId })).toMatchObject({ status: 404 });
  });

  it("lets an upload be used by its account, or by anyone when it has none", async () => {
    const bytes = Buffer.concat([wavHeaderBytes(8_000, { stated: true }), Buffer.alloc(8_000)]);
    expect(await invoke({ file_id: await upload(bytes, 7) })).toMatchObject({ status: 200 });
    expect(await invoke({ file_id: await upload(bytes) })).toMatchObject({ status: 200 });
    const notFound = { status: 404, body: { error: { code: "not_found", param: "file_id" } } };
    expect(await invoke({ file_id: await upload(bytes, 8) })).toMatchObject(notFound);
    expect(await invoke({ file_id: randomUUID() })).toMatchObject(notFound);
  });
});
