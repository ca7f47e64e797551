import type { Transform } from "node:stream";
import {
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createDeflate,
  createDeflateRaw,
  createGzip,
  deflateRawSync,
  deflateSync,
  gzipSync,
} from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bufferSource } from "../../../../shared/audio/read-audio.ts";
import { createOpenAiChatModels } from "../../../../shared/models/inference/openai/chat-models.ts";
import { createOpenAiSynthesizer } from "../../../../shared/models/inference/openai/synthesizer.ts";
import { createOpenAiTranscriber } from "../../../../shared/models/inference/openai/transcriber.ts";
import { chatRequest, readStream, startStream } from "../../../support/chat-stream.ts";
import {
  type Behaviour,
  completion,
  type FakeBackend,
  startFakeBackend,
} from "../../../support/fake-backend.ts";
import { delta, finish } from "../../../support/fake-stream.ts";
import { modelServer } from "../../../support/model-servers.ts";
import { piecesOf } from "../../../support/sources.ts";
import { audioBytes, wavFile } from "../../../support/wav.ts";

let backend: FakeBackend;
beforeAll(async () => {
  backend = await startFakeBackend();
});
afterAll(() => backend.close());

type Pack = (body: Buffer) => Buffer;
const codings: readonly (readonly [name: string, pack: Pack, open: () => Transform, flush: number])[] = [
  ["gzip", gzipSync, createGzip, constants.Z_SYNC_FLUSH],
  ["deflate", deflateSync, createDeflate, constants.Z_SYNC_FLUSH],
  ["deflate", deflateRawSync, createDeflateRaw, constants.Z_SYNC_FLUSH],
  // Its best quality takes seconds.
  [
    "br",
    (body) => brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
    createBrotliCompress,
    constants.BROTLI_OPERATION_FLUSH,
  ],
];

const packed =
  (coding: string, pack: Pack, body: Buffer | object, type = "application/json", status = 200): Behaviour =>
  (response) => {
    response.writeHead(status, { "Content-Type": type, "Content-Encoding": coding });
    response.end(pack(Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body))));
  };

const server = () => modelServer({ baseUrl: backend.baseUrl, silenceMilliseconds: 2_000 }, "large", "small");
const { signal } = new AbortController();
const reply = () => createOpenAiChatModels([server()]).reply(chatRequest, { signal });

const transcribe = (onText?: (text: string) => void) => {
  const recording = {
    source: bufferSource(wavFile(audioBytes(960))),
    mediaType: "audio/wav",
    fileExtension: "wav",
  };
  const request = { recording, language: "lug", withSegments: false };
  return createOpenAiTranscriber([server()]).transcribe(request, { signal, onText });
};

describe.each(codings)("a response in %s", (coding, pack, open, flush) => {
  it("is decoded: a whole reply and its failure, a transcript, speech", async () => {
    backend.behave(packed(coding, pack, completion("Oli otya?")));
    expect((await reply()).text).toBe("Oli otya?");
    expect(backend.received[0]?.headers["accept-encoding"]).toBe("gzip, deflate, br");
    backend.behave(packed(coding, pack, { error: { message: "Loading model" } }, "application/json", 500));
    await expect(reply()).rejects.toMatchObject({ code: "service_unavailable" });
    backend.behave(packed(coding, pack, { text: "Oli otya?" }));
    expect((await transcribe()).text).toBe("Oli otya?");
    const audio = audioBytes(200_000);
    backend.behave(packed(coding, pack, wavFile(audio), "audio/wav"));
    const spoken = { text: "Oli otya?", voice: "salt_lug_0001", language: undefined, sampling: {} };
    const speech = await createOpenAiSynthesizer([server()]).synthesize(spoken, { signal });
    const pieces: Uint8Array[] = [];
    for await (const piece of speech.audio) pieces.push(piece);
    expect(Buffer.concat(pieces).equals(audio)).toBe(true);
  });

  it("is decoded as it arrives within a stream", async () => {
    const { promise: encoder, resolve } = Promise.withResolvers<Transform>();
    backend.behave((response) => {
      response.writeHead(200, { "Content-Type": "text/event-stream", "Content-Encoding": coding });
      const stream = open();
      stream.pipe(response);
      stream.write(`data: ${delta("Oli ")}\n\n`);
      Reflect.apply(Reflect.get(stream, "flush"), stream, [flush]);
      resolve(stream);
    });
    const reading = await startStream(backend);
    const groups = piecesOf(reading)[Symbol.asyncIterator]();
    expect((await groups.next()).value).toMatchObject([{ text: "Oli " }]);
    (await encoder).end(`data: ${delta("otya?")}\n\ndata: ${finish()}\n\ndata: [DONE]\n\n`);
    expect((await groups.next()).value).toMatchObject([{ text: "otya?" }, { type: "finish" }]);
  });

  it("is decoded within a streamed transcript", async () => {
    const events = [
      { type: "transcript.text.delta", delta: "Oli" },
      { type: "transcript.text.done", text: "Oli" },
    ];
    const body = Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""));
    backend.behave(packed(coding, pack, body, "text/event-stream"));
    const texts: string[] = [];
    expect((await transcribe((text) => texts.push(text))).text).toBe("Oli");
    expect(texts).toEqual(["Oli"]);
  });

  it("is a failure when it is damaged, too large or broken off, and nothing waits for it", async () => {
    backend.behave(packed(coding, () => Buffer.from("\x08 no such coding"), {}));
    await expect(reply()).rejects.toMatchObject({ code: expect.any(String) });
    backend.behave(packed(coding, pack, Buffer.alloc(5_000_000, " ")));
    await expect(reply()).rejects.toMatchObject({ code: "external_service_error" });
    backend.behave(packed(coding, () => Buffer.from("\x08 no such coding"), {}, "text/event-stream"));
    await expect(startStream(backend)).rejects.toMatchObject({ code: expect.any(String) });
    backend.behave((response) => {
      response.writeHead(200, { "Content-Type": "text/event-stream", "Content-Encoding": coding });
      const stream = open();
      stream.pipe(response);
      stream.write(`data: ${delta("Oli ")}\n\n`);
      Reflect.apply(Reflect.get(stream, "flush"), stream, [
        flush,
        () => setTimeout(() => response.destroy(), 50),
      ]);
    });
    const { text, error } = await readStream(await startStream(backend));
    expect(text).toBe("Oli ");
    expect(error).toMatchObject({ code: "service_unavailable" });
  });
});
