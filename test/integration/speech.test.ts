import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { PassThrough } from "node:stream";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { speechEndpoints } from "../../functions/speech/endpoints.ts";
import { encodeAudio } from "../../shared/audio/encode/encode-audio.ts";
import { createStreamingHandler } from "../../shared/http/pipeline.ts";
import { createOpenAiSynthesizer } from "../../shared/models/inference/openai/synthesizer.ts";
import { type Behaviour, type FakeBackend, startFakeBackend } from "../support/fake-backend.ts";
import { lambdaContext, lambdaEvent } from "../support/lambda-event.ts";
import { stubStreamingRuntime } from "../support/lambda-stream.ts";
import { modelServer } from "../support/model-servers.ts";
import { authorizedCaller } from "../support/send.ts";
import { fetchOutcome } from "../support/storage-outcome.ts";
import { startTestBucket, type TestBucket } from "../support/test-bucket.ts";
import { unlimited } from "../support/unlimited.ts";
import { audioBytes, wavFile, wavHeaderBytes } from "../support/wav.ts";

let bucket: TestBucket;
let backend: FakeBackend;
beforeAll(async () => {
  stubStreamingRuntime();
  [bucket, backend] = await Promise.all([startTestBucket(), startFakeBackend()]);
});
afterAll(async () => {
  await Promise.all([bucket.close(), backend.close()]);
  vi.unstubAllGlobals();
});

interface Metadata {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends a request through the deployed function, and returns its response as a stream. */
/** Half an hour of speech is not too much for it. */
const longText = "Wasuze otya nno ".repeat(250);

const begin = async (body: object) => {
  const handler = createStreamingHandler(
    speechEndpoints({
      synthesizer: createOpenAiSynthesizer([
        modelServer(
          { baseUrl: backend.baseUrl, apiKey: async () => undefined, silenceMilliseconds: 1_000 },
          "tts-1",
        ),
      ]),
      store: bucket.store,
      model: "tts-1",
      encode: encodeAudio,
      platform: "the-platform",
    }),
    { limiter: unlimited },
  );
  const stream = new PassThrough();
  const metadata = once(stream, "metadata").then(([sent]): Metadata => sent);
  const event = lambdaEvent({
    path: "/tasks/audio/speech",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ text: "Wasuze otya nno?", ...body }),
    authorizer: authorizedCaller,
  });
  const ended: Promise<unknown> = Promise.resolve(
    Reflect.apply(handler, undefined, [event, stream, lambdaContext(60_000)]),
  );
  ended.catch(() => undefined);
  const { statusCode, headers } = await metadata;
  return { status: statusCode, headers, stream, ended };
};

/** A server that sends a header, then any bytes of a test. */
const speaking = () => {
  const { promise: started, resolve } = Promise.withResolvers<ServerResponse>();
  const behaviour: Behaviour = (response) => {
    response.writeHead(200, { "Content-Type": "audio/wav" });
    response.write(wavHeaderBytes(0, { comment: "Wasuze otya nno?" }));
    resolve(response);
  };
  backend.behave(behaviour);
  return started;
};

const nextPiece = async (stream: PassThrough): Promise<Buffer> => {
  for (;;) {
    const piece: Buffer | null = stream.read();
    if (piece) return piece;
    await once(stream, "readable");
  }
};

const second = audioBytes(48_000);
const mebibyte = 1024 * 1024;
const unknown = 0xff_ff_ff_ff;
const header = wavHeaderBytes(0, { comment: "Wasuze otya nno?" });

describe("speech as a stream", () => {
  it("is sent as a stream, and stored nowhere", async () => {
    const bodies = await bucket.storedBodies();
    const started = speaking();
    const { status, headers, stream, ended } = await begin({ response_mode: "stream" });
    const server = await started;
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      "Content-Type": "audio/wav",
      "X-Sample-Rate": "24000",
      "X-Request-Id": expect.any(String),
      "X-Platform": expect.any(String),
      "X-Usage-Characters": expect.stringMatching(/^[1-9]\d*$/),
    });
    expect(headers).not.toHaveProperty("X-Usage-Seconds");
    expect(await nextPiece(stream)).toEqual(header);
    server.write(second);
    expect((await nextPiece(stream)).length).toBeGreaterThan(0);
    server.end(second);
    stream.resume();
    await ended;
    expect(headers).not.toHaveProperty("X-Audio-Url");
    await vi.waitFor(async () => expect(await bucket.storedBodies()).toBe(bodies));
  });

  it("arrives whole, and keeps the length in its header when the server knew it", async () => {
    const file = wavFile(second, { stated: true, comment: "Wasuze otya nno?" });
    backend.behave((response) => response.end(file));
    const { headers, stream } = await begin({ response_mode: "stream" });
    expect((await buffer(stream)).equals(file)).toBe(true);
    expect(headers["X-Usage-Seconds"]).toBe("1");
  });

  it.each([
    ["with its length", (response: ServerResponse) => response],
    ["without its length", (response: ServerResponse) => response.writeHead(200)],
  ])("has the audio of all files that the server sends in a response %s", async (_which, start) => {
    const file = wavFile(second, { stated: true });
    backend.behave((response) => start(response).end(Buffer.concat([file, file])));
    const { headers, stream } = await begin({ response_mode: "stream" });
    const received = await buffer(stream);
    expect(received.subarray(44).equals(Buffer.concat([second, second]))).toBe(true);
    // A player that believed the first header would stop after a second.
    expect([received.readUInt32LE(4), received.readUInt32LE(40)]).toEqual([unknown, unknown]);
    expect(headers).not.toHaveProperty("X-Usage-Seconds");
  });

  it("never has a header that claims an empty file", async () => {
    backend.behave((response) => response.end(wavFile(second, { stated: 0 })));
    const { stream } = await begin({ response_mode: "stream" });
    const received = await buffer(stream);
    expect([received.readUInt32LE(4), received.readUInt32LE(40)]).toEqual([unknown, unknown]);
  });

  it("is produced no faster than it is read", async () => {
    let sent = 0;
    backend.behave((response) => {
      response.write(wavHeaderBytes(0));
      const more = () => {
        while (sent < 40 * mebibyte) {
          sent += mebibyte;
          if (!response.write(Buffer.alloc(mebibyte))) return;
        }
        response.end();
      };
      response.on("drain", more);
      more();
    });
    const { stream, ended } = await begin({ text: longText, response_mode: "stream" });
    await nextPiece(stream);
    let before = -1;
    await vi.waitFor(
      () => {
        const isGrowing = sent !== before;
        before = sent;
        if (isGrowing) throw new Error("The server is still sending.");
      },
      { timeout: 5_000, interval: 200 },
    );
    expect(sent).toBeLessThan(20 * mebibyte);
    const rest = await buffer(stream);
    await ended;
    expect(rest.length).toBeGreaterThan(39 * mebibyte);
  });

  it("breaks off when the server does", async () => {
    const started = speaking();
    const { stream, ended } = await begin({ response_mode: "stream" });
    const server = await started;
    server.write(second);
    await nextPiece(stream);
    server.destroy();
    await expect(ended).rejects.toMatchObject({ code: "external_service_error" });
    expect(stream.writableEnded).toBe(false);
  });

  it("is no longer made when the caller goes away", async () => {
    const started = speaking();
    const { stream, ended } = await begin({ response_mode: "stream" });
    const server = await started;
    await nextPiece(stream);
    stream.destroy();
    server.write(second);
    await ended;
    if (!server.closed) await once(server, "close");
    expect(server.writableFinished).toBe(false);
  });

  it("is an ordinary error when the server fails before the first byte", async () => {
    backend.behave((response) => response.writeHead(503).end("Loading model"));
    const { status, headers, stream } = await begin({ response_mode: "stream" });
    expect([status, headers["Content-Type"], headers["Retry-After"]]).toEqual([
      503,
      "application/json",
      "30",
    ]);
    expect(JSON.parse((await buffer(stream)).toString())).toMatchObject({
      error: { code: "service_unavailable" },
    });
  });
});

describe("speech as a stream with a link", () => {
  it("is stored under the link by the time it has come to its end", async () => {
    const started = speaking();
    const { status, headers, stream, ended } = await begin({ response_mode: "both" });
    const server = await started;
    const url = headers["X-Audio-Url"] ?? "";
    expect(status).toBe(200);
    expect(headers["X-Storage-Object"]).toMatch(/^speech\/\d{4}-\d{2}-\d{2}\/7\/[0-9a-f]{32}\.wav$/);
    expect(await fetchOutcome(url)).toBe("404 NoSuchKey");

    server.write(second);
    server.end(second);
    const streamed = await buffer(stream);
    await ended;
    expect(streamed.equals(Buffer.concat([header, second, second]))).toBe(true);

    const response = await fetch(url);
    const stored = Buffer.from(await response.arrayBuffer());
    const audio = Buffer.concat([second, second]);
    expect(response.headers.get("content-type")).toBe("audio/wav");
    expect(stored.equals(wavFile(audio, { stated: true, comment: "Wasuze otya nno?" }))).toBe(true);
  });

  it("is stored whole when it is too long for one request", async () => {
    const audio = audioBytes(12 * mebibyte);
    backend.behave((response) => response.end(wavFile(audio)));
    const { headers, stream } = await begin({ text: longText, response_mode: "both" });
    expect((await buffer(stream)).length).toBe(44 + audio.length);
    const stored = await bucket.read(headers["X-Storage-Object"] ?? "");
    expect(stored?.equals(wavFile(audio, { stated: true }))).toBe(true);
  });

  it.each([1, 12])(
    "leaves nothing when the server breaks off after %i MiB, and the link returns 404",
    async (size) => {
      const bodies = await bucket.storedBodies();
      const started = speaking();
      const { headers, stream, ended } = await begin({ text: longText, response_mode: "both" });
      stream.resume();
      const server = await started;
      server.write(audioBytes(size * mebibyte), () => server.destroy());
      await expect(ended).rejects.toMatchObject({ code: "external_service_error" });
      expect(stream.writableEnded).toBe(false);
      expect(await fetchOutcome(headers["X-Audio-Url"] ?? "")).toBe("404 NoSuchKey");
      await vi.waitFor(async () => expect(await bucket.storedBodies()).toBe(bodies));
    },
  );

  it.each([1, 12])("leaves nothing when the caller goes away after %i MiB", async (size) => {
    const bodies = await bucket.storedBodies();
    const started = speaking();
    const { headers, stream, ended } = await begin({ text: longText, response_mode: "both" });
    const server = await started;
    server.write(audioBytes(size * mebibyte));
    let received = 0;
    while (received < size * mebibyte) received += (await nextPiece(stream)).length;
    stream.destroy();
    server.write(second);
    await ended;
    expect(await fetchOutcome(headers["X-Audio-Url"] ?? "")).toBe("404 NoSuchKey");
    await vi.waitFor(async () => expect(await bucket.storedBodies()).toBe(bodies));
    if (!server.closed) await once(server, "close");
  });

  it("does not come to an end when the audio cannot be stored", async () => {
    backend.behave((response) => response.end(wavFile(second)));
    bucket.failNext("PutObject");
    const { stream, ended } = await begin({ response_mode: "both" });
    stream.resume();
    await expect(ended).rejects.toMatchObject({ code: "storage_unavailable" });
    expect(stream.writableEnded).toBe(false);
  });
});

describe("speech that is encoded while it leaves", () => {
  it.each(["mp3", "opus"])(
    "breaks off when the server does, and nothing stays stored: %s",
    async (format) => {
      const bodies = await bucket.storedBodies();
      const started = speaking();
      const { headers, stream, ended } = await begin({ response_mode: "both", audio_format: format });
      const server = await started;
      server.write(second);
      expect((await nextPiece(stream)).length).toBeGreaterThan(0);
      server.destroy();
      stream.resume();
      await expect(ended).rejects.toMatchObject({ code: "external_service_error" });
      expect(stream.writableEnded).toBe(false);
      expect(await fetchOutcome(headers["X-Audio-Url"] ?? "")).toBe("404 NoSuchKey");
      await vi.waitFor(async () => expect(await bucket.storedBodies()).toBe(bodies));
    },
  );

  it.each(["mp3", "opus"])("is no longer made when the caller goes away: %s", async (format) => {
    const started = speaking();
    const { stream, ended } = await begin({ response_mode: "stream", audio_format: format });
    const server = await started;
    server.write(second);
    await nextPiece(stream);
    stream.destroy();
    server.write(second);
    await ended;
    if (!server.closed) await once(server, "close");
    expect(server.writableFinished).toBe(false);
  });

  it("is an ordinary error when the model's server sends samples that cannot be encoded", async () => {
    const header = wavHeaderBytes(0);
    header.writeUInt16LE(7, 20);
    header.writeUInt16LE(1, 32);
    header.writeUInt16LE(8, 34);
    backend.behave((response) => response.end(Buffer.concat([header, second])));
    const { status, stream } = await begin({ response_mode: "stream", audio_format: "opus" });
    expect(status).toBe(502);
    expect(JSON.parse((await buffer(stream)).toString())).toMatchObject({
      error: { code: "external_service_error" },
    });
  });
});

describe("speech as a link", () => {
  it("is stored with its true length", async () => {
    backend.behave((response) => response.end(wavFile(second, { comment: "Wasuze otya nno?" })));
    const { status, stream } = await begin({});
    const body = JSON.parse((await buffer(stream)).toString());
    expect(status).toBe(200);
    expect(body).toMatchObject({ duration_seconds: 1, sample_rate: 24_000 });
    const stored = Buffer.from(await (await fetch(body.audio_url)).arrayBuffer());
    expect(stored.equals(wavFile(second, { stated: true, comment: "Wasuze otya nno?" }))).toBe(true);
    expect(body.usage.output_audio_bytes).toBe(stored.length);
  });

  it("is an error when the server breaks off midway, and nothing is stored", async () => {
    const bodies = await bucket.storedBodies();
    backend.behave((response) => {
      response.write(wavFile(second), () => response.destroy());
    });
    const { status, stream } = await begin({});
    expect(status).toBe(502);
    expect(JSON.parse((await buffer(stream)).toString())).toMatchObject({
      error: { code: "external_service_error" },
    });
    await vi.waitFor(async () => expect(await bucket.storedBodies()).toBe(bodies));
  });

  it("is an error when the audio cannot be stored", async () => {
    backend.behave((response) => response.end(wavFile(second)));
    bucket.failNext("PutObject");
    const { status, stream } = await begin({});
    expect(status).toBe(502);
    expect(JSON.parse((await buffer(stream)).toString())).toMatchObject({
      error: { code: "storage_unavailable" },
    });
  });
});
