import { once } from "node:events";
import { createServer, type IncomingMessage, request } from "node:http";
import type { Endpoint } from "../src/endpoint.ts";
import { sendError } from "../src/send-response.ts";

/** A WAV file, taken apart. */
export type Wav = {
  /** The ids of its chunks, in order. */
  readonly chunks: readonly string[];
  /** The five numbers of the format before the bits of a sample, then those. */
  readonly format: readonly number[];
  readonly tags: Readonly<Record<string, string>>;
  readonly samples: Int16Array;
};

const unknownSize = 0xff_ff_ff_ff;

/** Walks the chunks of a WAV file as any player does. Throws when they are not one after the other to the end. */
export const parseWav = (file: Buffer): Wav => {
  if (file.toString("latin1", 0, 4) !== "RIFF" || file.toString("latin1", 8, 12) !== "WAVE") {
    throw new Error("The file is not a WAV file.");
  }
  const found = new Map<string, Buffer>();
  let position = 12;
  while (position < file.length) {
    const size = file.readUInt32LE(position + 4);
    const start = position + 8;
    const end = size === unknownSize ? file.length : start + size;
    if (end > file.length) throw new Error("A chunk is longer than the file.");
    found.set(file.toString("latin1", position, position + 4), file.subarray(start, end));
    position = end + (end % 2);
  }
  const format = found.get("fmt ") ?? Buffer.alloc(16);
  return {
    chunks: [...found.keys()],
    format: [
      format.readUInt16LE(0),
      format.readUInt16LE(2),
      format.readUInt32LE(4),
      format.readUInt32LE(8),
      format.readUInt16LE(12),
      format.readUInt16LE(14),
    ],
    tags: parseTags(found.get("LIST") ?? Buffer.alloc(0)),
    samples: toSamples(found.get("data") ?? Buffer.alloc(0)),
  };
};

const parseTags = (list: Buffer): Record<string, string> => {
  const tags: Record<string, string> = {};
  for (let position = 4; position < list.length; ) {
    const end = position + 8 + list.readUInt32LE(position + 4);
    tags[list.toString("latin1", position, position + 4)] = list.toString("utf8", position + 8, end - 1);
    position = end + (end % 2);
  }
  return tags;
};

/** Bytes as 16-bit samples. */
export const toSamples = (bytes: Buffer): Int16Array =>
  Int16Array.from({ length: bytes.length / 2 }, (_, index) => bytes.readInt16LE(index * 2));

/** How loud samples are: the root mean square, where 1 is the loudest there is. */
export const loudness = (samples: Int16Array): number =>
  Math.sqrt(samples.reduce((sum, sample) => sum + (sample / 32_768) ** 2, 0) / samples.length);

/** The pitch of a voice in hertz: the middle of what is measured in 40 ms windows that have one. */
export const medianPitch = (samples: Int16Array, sampleRate = 24_000): number => {
  const length = Math.round(sampleRate * 0.04);
  const pitches: number[] = [];
  for (let start = 0; start + 2 * length <= samples.length; start += 2 * length) {
    const pitch = pitchOf(samples.subarray(start, start + 2 * length), length, sampleRate);
    if (pitch !== undefined) pitches.push(pitch);
  }
  return pitches.sort((a, b) => a - b)[Math.floor(pitches.length / 2)] ?? 0;
};

/** The shift between 60 and 400 Hz under which a window is most like itself; undefined when it is like none. */
const pitchOf = (window: Int16Array, length: number, sampleRate: number): number | undefined => {
  const product = (shift: number) => {
    let sum = 0;
    for (let index = 0; index < length; index += 2)
      sum += (window[index] ?? 0) * (window[index + shift] ?? 0);
    return sum;
  };
  const energy = product(0);
  let best = { shift: 0, likeness: 0.5 * energy };
  for (let shift = Math.round(sampleRate / 400); shift <= sampleRate / 60; shift += 1) {
    const likeness = product(shift);
    if (likeness > best.likeness) best = { shift, likeness };
  }
  return best.shift === 0 ? undefined : sampleRate / best.shift;
};

/** A WAV file of 16-bit samples, with the usual header of 44 bytes. */
export const makeWav = (
  samples: Int16Array,
  sampleRate: number,
  extraChunks: Buffer = Buffer.alloc(0),
): Buffer => {
  const header = Buffer.alloc(44);
  header.write("RIFF", 0, "latin1");
  header.writeUInt32LE(36 + extraChunks.length + samples.byteLength, 4);
  header.write("WAVEfmt ", 8, "latin1");
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE(sampleRate * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write("data", 36, "latin1");
  header.writeUInt32LE(samples.byteLength, 40);
  const bytes = Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);
  return Buffer.concat([header.subarray(0, 36), extraChunks, header.subarray(36), bytes]);
};

/** Samples of a tone where one of the spans (in seconds) is, and of silence elsewhere. */
export const makeTone = (
  seconds: number,
  spans: readonly (readonly [number, number])[],
  rate = 16_000,
): Int16Array =>
  Int16Array.from({ length: Math.round(seconds * rate) }, (_, index) => {
    const time = index / rate;
    const isLoud = spans.some(([start, end]) => time >= start && time < end);
    return isLoud ? Math.round(8_000 * Math.sin(2 * Math.PI * 220 * time)) : 0;
  });

/** Serves one endpoint; `handled` is the error of the first request, if any. */
export const serve = async (endpoint: Endpoint) => {
  const handled = Promise.withResolvers<unknown>();
  const server = createServer((received, response) => {
    endpoint.handle({ request: received, response, settings: { tokenDelayMilliseconds: 0 } }).then(
      () => handled.resolve(undefined),
      (error: unknown) => {
        sendError(response, error);
        handled.resolve(error);
      },
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await handled.promise;
  };
  return { port: address.port, handled: handled.promise, close };
};

/** Sends one request to an endpoint, and returns the client's end of it as soon as the response starts. */
export const exchangeWith = async (endpoint: Endpoint, body: string) => {
  const { port, handled, close } = await serve(endpoint);
  const client = request({ port, host: "127.0.0.1", method: "POST" }).end(body);
  client.on("error", () => undefined);
  const [response]: IncomingMessage[] = await once(client, "response");
  if (response === undefined) throw new Error("The server did not answer.");
  return { client, response, handled, close };
};
