import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createOpenAiTranscriber } from "../../../../shared/models/inference/openai/transcriber.ts";
import type { ByteSource } from "../../../../shared/platform/outbound/byte-source.ts";
import { BackendTimeout } from "../../../../shared/platform/outbound/failures.ts";
import { multipartForm, sendUpload } from "../../../../shared/platform/outbound/upload.ts";
import { modelServer } from "../../../support/model-servers.ts";
import {
  type RecordingServer,
  readingSlowly,
  startRecordingServer,
} from "../../../support/recording-server.ts";

const megabyte = 1024 * 1024;

let server: RecordingServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});
const serve = async (...[take]: Parameters<typeof startRecordingServer>) => {
  server = await startRecordingServer(take);
  return server;
};

/** A source of this many bytes, and how far it has been read. */
const longRecording = (size: number, delayMilliseconds = 0) => {
  let position = 0;
  const source: ByteSource = {
    size,
    read: async (start, end) => {
      position = Math.max(position, end);
      await pause(delayMilliseconds);
      return Buffer.alloc(end - start);
    },
  };
  return { source, position: () => position };
};

const transcribe = (
  { baseUrl }: RecordingServer,
  source: ByteSource,
  limits: { silenceMilliseconds?: number; stallMilliseconds?: number; signal?: AbortSignal } = {},
) => {
  const { silenceMilliseconds = 5_000, stallMilliseconds = 5_000 } = limits;
  const { signal = new AbortController().signal } = limits;
  const backend = { baseUrl, apiKey: async () => undefined, silenceMilliseconds };
  return createOpenAiTranscriber([modelServer(backend, "model-1")], { stallMilliseconds }).transcribe(
    {
      recording: { source, mediaType: "audio/wav", fileExtension: "wav" },
      language: "lug",
      withSegments: false,
    },
    { signal },
  );
};

describe("a large recording on its way to the model's server", () => {
  it("may take longer than the server may be silent afterwards", async () => {
    const slow = await serve(async (request, response) => {
      await pause(700);
      await readingSlowly(0)(request, response);
    });
    const { source } = longRecording(32 * megabyte);
    expect(await transcribe(slow, source, { silenceMilliseconds: 500 })).toMatchObject({ text: "Oli otya?" });
  });

  it("is read no faster than the server takes it", async () => {
    const { promise: goOn, resolve } = Promise.withResolvers<void>();
    const busy = await serve(async (request, response) => {
      await goOn;
      await readingSlowly(0)(request, response);
    });
    const { source, position } = longRecording(64 * megabyte);
    const transcription = transcribe(busy, source);
    let before = -1;
    await vi.waitUntil(
      () => {
        const isAtRest = position() > 0 && position() === before;
        before = position();
        return isAtRest;
      },
      { interval: 200, timeout: 4_000 },
    );
    // What the system's own buffers hold, and two of our pieces.
    expect(position()).toBeLessThan(24 * megabyte);
    resolve();
    expect(await transcription).toMatchObject({ text: "Oli otya?" });
    expect(position()).toBe(64 * megabyte);
  });

  it("may be slow to come itself, which is not held against the server", async () => {
    const slow = await serve(readingSlowly(0));
    const { source } = longRecording(3 * megabyte, 800);
    const limits = { silenceMilliseconds: 500, stallMilliseconds: 500 };
    expect(await transcribe(slow, source, limits)).toMatchObject({ text: "Oli otya?" });
  });

  it("is given up when the server takes no more of it", async () => {
    const { promise: goOn, resolve } = Promise.withResolvers<void>();
    const stuck = await serve(async (request) => {
      await goOn;
      request.resume();
    });
    const { source } = longRecording(64 * megabyte);
    await expect(transcribe(stuck, source, { stallMilliseconds: 300 })).rejects.toMatchObject({
      code: "service_unavailable",
      cause: { name: "BackendTimeout", message: expect.stringContaining("took nothing") },
    });
    // A server that does not read does not notice either that writing has stopped.
    resolve();
    await vi.waitUntil(async () => (await stuck.connections()) === 0);
  });

  it("is given up when the server has all of it and says nothing", async () => {
    const silent = await serve((request) => void request.resume());
    const { source } = longRecording(3 * megabyte);
    await expect(transcribe(silent, source, { silenceMilliseconds: 200 })).rejects.toMatchObject({
      code: "service_unavailable",
      cause: { message: expect.stringContaining("did not come to an end") },
    });
  });

  it("that takes too long is abandoned on a connection that only its server ends", async () => {
    const connection = Promise.withResolvers<Socket>();
    const left = Promise.withResolvers<"left">();
    const own = createServer((request) => {
      request.resume();
      request.socket.once("end", () => left.resolve("left"));
      connection.resolve(request.socket);
    });
    Object.assign(own, { httpAllowHalfOpen: true });
    await new Promise<void>((resolve) => own.listen(0, "127.0.0.1", resolve));
    try {
      const url = new URL(`http://127.0.0.1:${(own.address() as AddressInfo).port}/v1`);
      const body = multipartForm([], {
        fieldName: "file",
        fileName: "recording.wav",
        mediaType: "audio/wav",
        source: longRecording(1_000).source,
      });
      const { signal } = new AbortController();
      const upload = { url, headers: {}, body, stallMilliseconds: 1_000, silenceMilliseconds: 100, signal };
      const error: unknown = await sendUpload(upload).catch((thrown: unknown) => thrown);
      if (!(error instanceof BackendTimeout)) throw error;
      const ended = error.ended.then(() => "ended");
      expect(await Promise.race([ended, left.promise])).toBe("left");
      (await connection.promise).destroy();
      expect(await ended).toBe("ended");
    } finally {
      own.closeAllConnections();
      own.close();
    }
  });

  it("is not sent to its end once the server has refused it", async () => {
    const strict = await serve((request, response) => {
      request.once("data", () => response.writeHead(413).end("{}"));
    });
    const { source, position } = longRecording(64 * megabyte);
    await expect(transcribe(strict, source)).rejects.toMatchObject({ code: "external_service_error" });
    expect(position()).toBeLessThan(64 * megabyte);
    await vi.waitUntil(async () => (await strict.connections()) === 0);
  });

  it("is aborted when the caller leaves", async () => {
    const slow = await serve(readingSlowly(1));
    const { source, position } = longRecording(256 * megabyte);
    const caller = new AbortController();
    const transcription = transcribe(slow, source, { signal: caller.signal });
    await vi.waitUntil(() => position() > 0);
    caller.abort(new Error("The caller is gone."));
    await expect(transcription).rejects.toMatchObject({ cause: { message: "The caller is gone." } });
    await vi.waitUntil(async () => (await slow.connections()) === 0);
    expect(position()).toBeLessThan(256 * megabyte);
  });
});
