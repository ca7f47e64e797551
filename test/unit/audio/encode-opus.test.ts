import { buffer } from "node:stream/consumers";
import { ALL_FORMATS, BufferSource, EncodedPacketSink, Input } from "mediabunny";
import OpusScript from "opusscript";
import { describe, expect, it, vi } from "vitest";
import { encodeAudio } from "../../../shared/audio/encode/encode-audio.ts";
import { createOpusEncoder, type OpusRate } from "../../../shared/audio/encode/opus.ts";
import { createSampleReader } from "../../../shared/audio/encode/samples.ts";
import { bufferSource, inspectAudio } from "../../../shared/audio/read-audio.ts";
import { speechOfAudio } from "../../support/test-audio.ts";

/** A CELT packet of 20 ms, mono, in one frame, with this many bytes; players find silence or noise in it. */
const packet = (bytes: number): Uint8Array =>
  Uint8Array.from({ length: bytes }, (_, index) => (index === 0 ? 0xf8 : index));

const setUp = (packetBytes = 60) => {
  const frames: Buffer[] = [];
  const createEncoder = vi.fn((_sampleRate: number) => ({
    encode: (frame: Buffer) => {
      frames.push(Buffer.from(frame));
      return packet(packetBytes);
    },
    close: () => undefined,
  }));
  /** The file of 16-bit audio, which comes in odd pieces. */
  const encode = (audio: Buffer, sampleRate: OpusRate = 24_000): Buffer => {
    const read = createSampleReader({ encoding: "pcm", sampleRate, channels: 1, bitsPerSample: 16 });
    if (!read) throw new Error("16 bits are not read.");
    const encoder = createOpusEncoder(sampleRate, createEncoder);
    const pieces: Uint8Array[] = [];
    for (let start = 0; start < audio.length; start += 1_001) {
      pieces.push(encoder.encode(read(audio.subarray(start, start + 1_001))));
    }
    return Buffer.concat([...pieces, encoder.finish()]);
  };
  return { encode, createEncoder, frames };
};

/** How another program, written by others, reads the file. */
const readElsewhere = async (file: Uint8Array) => {
  const input = new Input({ source: new BufferSource(file), formats: ALL_FORMATS });
  const track = await input.getPrimaryAudioTrack();
  if (!track) throw new Error("The file has no sound.");
  const packets: Uint8Array[] = [];
  for await (const { data } of new EncodedPacketSink(track).packets()) packets.push(data);
  const config = await track.getDecoderConfig();
  const head = config?.description;
  return {
    codec: await track.getCodec(),
    channels: config?.numberOfChannels,
    head: ArrayBuffer.isView(head)
      ? Buffer.from(head.buffer, head.byteOffset, head.byteLength)
      : Buffer.alloc(0),
    seconds: await track.computeDuration(),
    tags: await input.getMetadataTags(),
    packets,
  };
};

/** The checksum of RFC 3533 bit by bit, as its text says it. */
const checksumOf = (page: Buffer): number => {
  let remainder = 0;
  for (const byte of page) {
    for (let bit = 7; bit >= 0; bit -= 1) {
      const top = remainder >>> 31;
      remainder = ((remainder << 1) | ((byte >>> bit) & 1)) >>> 0;
      if (top === 1) remainder = (remainder ^ 0x04_c1_1d_b7) >>> 0;
    }
  }
  return remainder;
};

/** The pages of an Ogg file, read by the letter of RFC 3533. */
const pagesOf = (file: Buffer) => {
  const pages = [];
  for (let start = 0; start < file.length; ) {
    const segments = file.subarray(start + 27, start + 27 + file.readUInt8(start + 26));
    const length = 27 + segments.length + segments.reduce((sum, segment) => sum + segment, 0);
    const page = Buffer.from(file.subarray(start, start + length));
    const checksum = page.readUInt32LE(22);
    page.writeUInt32LE(0, 22);
    pages.push({
      capture: page.toString("latin1", 0, 4),
      version: page.readUInt8(4),
      flags: page.readUInt8(5),
      position: Number(page.readBigInt64LE(6)),
      serial: page.readUInt32LE(14),
      sequence: page.readUInt32LE(18),
      isIntact: checksum === checksumOf(Buffer.concat([page, Buffer.alloc(4)])),
      packets: segments.filter((segment) => segment < 255).length,
      body: page.subarray(27 + segments.length),
    });
    start += length;
  }
  return pages;
};

describe("an Opus file for another reader", () => {
  it.each([
    [24_000, 2.01],
    [24_000, 1],
    [16_000, 1.999],
    [12_000, 0.5],
    [48_000, 0.0135],
    [8_000, 0.001],
  ] as const)("of audio at %i Hz is Opus with one channel that plays %d s", async (sampleRate, seconds) => {
    const samples = Math.round(sampleRate * seconds);
    const { encode, frames } = setUp();
    const file = encode(Buffer.alloc(samples * 2), sampleRate);
    const read = await readElsewhere(file);
    expect(read).toMatchObject({ codec: "opus", channels: 1 });
    expect(read.seconds).toBeCloseTo(seconds, 4);
    expect(read.tags).toEqual({ raw: { vendor: "Language AI Service" } });
    expect(read.packets.map((data) => Buffer.from(data))).toEqual(frames.map(() => Buffer.from(packet(60))));
    const head = Buffer.from("4f70757348656164010138010000000000" + "0000", "hex");
    head.writeUInt32LE(sampleRate, 12);
    expect(read.head.toString("hex")).toBe(head.toString("hex"));
  });

  it("is a stream of whole, numbered pages: the first can be heard soon, the others play a second each", async () => {
    const pages = pagesOf(setUp().encode(Buffer.alloc(24_000 * 2 * 2.5)));
    expect(new Set(pages.map(({ serial }) => serial)).size).toBe(1);
    expect(pages.map(({ body: _, serial: _serial, ...page }) => page)).toEqual(
      [
        { flags: 2, position: 0, packets: 1 },
        { flags: 0, position: 0, packets: 1 },
        { flags: 0, position: 9_600, packets: 10 },
        { flags: 0, position: 57_600, packets: 50 },
        { flags: 0, position: 105_600, packets: 50 },
        { flags: 4, position: 312 + 120_000, packets: 16 },
      ].map((page, sequence) => ({ capture: "OggS", version: 0, sequence, isIntact: true, ...page })),
    );
    expect(pages[1]?.body.toString("latin1")).toBe("OpusTags\x13\0\0\0Language AI Service\0\0\0\0");
  });

  it("has a page of its own for as many packets as one can list", async () => {
    // Five lengths for each packet of 1,275 bytes and a sixth that ends it: 42 packets fill 252 of 255.
    const pages = pagesOf(setUp(1_275).encode(Buffer.alloc(24_000 * 2 * 2)));
    expect(pages.slice(2).map(({ packets }) => packets)).toEqual([10, 42, 42, 7]);
    expect(pages.every(({ isIntact }) => isIntact)).toBe(true);
    const whole = pagesOf(setUp(1_019).encode(Buffer.alloc(24_000 * 2 * 2)));
    expect(whole.slice(2).map(({ packets }) => packets)).toEqual([10, 50, 41]);
  });
});

describe("an Opus file", () => {
  it.each([1, 254, 255, 256, 510, 1_275])("holds packets of %i bytes", async (bytes) => {
    const file = setUp(bytes).encode(Buffer.alloc(24_000 * 2 * 3));
    expect((await inspectAudio(bufferSource(file))).durationSeconds).toBeCloseTo(3, 3);
  });

  it("is encoded in frames of 20 ms, the last one filled up with silence", async () => {
    const { encode, frames } = setUp();
    const audio = Buffer.alloc(24_000, 7);
    encode(audio);
    expect(new Set(frames.map(({ length }) => length))).toEqual(new Set([960]));
    const whole = Buffer.concat(frames);
    expect(whole.subarray(0, audio.length)).toEqual(audio);
    expect(whole.subarray(audio.length)).toEqual(Buffer.alloc(whole.length - audio.length));
    expect(frames).toHaveLength(26);
  });

  it("leaves out half a sample at the end", async () => {
    const { encode, frames } = setUp();
    encode(Buffer.alloc(961, 7));
    expect(Buffer.concat(frames).subarray(958, 964)).toEqual(Buffer.from([7, 7, 0, 0, 0, 0]));
  });

  it("frees its encoder, also when that fails", async () => {
    const free = vi.spyOn(OpusScript.prototype, "delete");
    const whole = await encodeAudio("opus", speechOfAudio(Buffer.alloc(960)));
    await buffer(whole.pieces);
    expect(free).toHaveBeenCalledOnce();

    const encode = vi.spyOn(OpusScript.prototype, "encode").mockImplementation(() => {
      throw new Error("libopus is ill.");
    });
    const speech = speechOfAudio(Buffer.alloc(9_600));
    const { pieces } = await encodeAudio("opus", speech);
    await expect(buffer(pieces)).rejects.toThrow("libopus is ill.");
    expect(free).toHaveBeenCalledTimes(2);
    expect(speech.cancel).toHaveBeenCalledOnce();
    free.mockRestore();
    encode.mockRestore();
  });
});
