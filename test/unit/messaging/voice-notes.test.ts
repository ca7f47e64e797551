import { describe, expect, it, vi } from "vitest";
import { createOpusSpeechEncoder } from "../../../functions/messaging/opus-encoder.ts";
import { createVoiceNotes, hasVoice } from "../../../functions/messaging/voice-notes.ts";
import { bufferSource, inspectAudio } from "../../../shared/audio/read-audio.ts";
import type { SampleFormat } from "../../../shared/audio/wav/wav-header.ts";
import type { Speech, SpeechRequest } from "../../../shared/inference/speech.ts";

const { signal } = new AbortController();

const speechOf = (sound: Buffer, format: Partial<SampleFormat> = {}): Speech => ({
  header: {
    bytes: Buffer.alloc(44),
    format: { encoding: "pcm", sampleRate: 24_000, channels: 1, bitsPerSample: 16, ...format },
    soundBytes: undefined,
  },
  sound: (async function* () {
    for (let start = 0; start < sound.length; start += 1_001) yield sound.subarray(start, start + 1_001);
  })(),
  cancel: vi.fn(),
});

/** A CELT packet of 20 ms, mono, in one frame, of so many bytes; players find silence or noise in it. */
const packet = (bytes: number): Uint8Array =>
  Uint8Array.from({ length: bytes }, (_, index) => (index === 0 ? 0xf8 : index));

const setUp = (packetBytes = 60) => {
  const close = vi.fn();
  const frames: Buffer[] = [];
  const createEncoder = vi.fn((_sampleRate: number) => ({
    encode: (frame: Buffer) => {
      frames.push(Buffer.from(frame));
      return packet(packetBytes);
    },
    close,
  }));
  return { encoder: createOpusSpeechEncoder(createEncoder), createEncoder, frames, close };
};

describe("a voice note", () => {
  it.each([
    [24_000, 1.5],
    [16_000, 61.21],
    [48_000, 0.01],
    [8_000, 10],
  ])("of sound at %i Hz is an Ogg file with Opus that plays exactly %d s", async (sampleRate, seconds) => {
    const { encoder, createEncoder } = setUp();
    const samples = Math.round(sampleRate * seconds);
    const file = await encoder.encode(speechOf(Buffer.alloc(samples * 2), { sampleRate }));
    expect(createEncoder).toHaveBeenCalledExactlyOnceWith(sampleRate);
    const facts = await inspectAudio(bufferSource(file));
    expect(facts).toMatchObject({ container: "ogg", codec: "opus", channels: 1 });
    expect(facts.durationSeconds).toBeCloseTo(seconds, 3);
  });

  it.each([1, 254, 255, 256, 510, 1_275])("holds packets of %i bytes", async (bytes) => {
    const { encoder } = setUp(bytes);
    const file = await encoder.encode(speechOf(Buffer.alloc(24_000 * 2 * 3)));
    expect((await inspectAudio(bufferSource(file))).durationSeconds).toBeCloseTo(3, 3);
  });

  it("is encoded in frames of 20 ms, the last one filled up with silence", async () => {
    const { encoder, frames, close } = setUp();
    const sound = Buffer.alloc(24_000, 7);
    await encoder.encode(speechOf(sound));
    expect(new Set(frames.map(({ length }) => length))).toEqual(new Set([960]));
    const whole = Buffer.concat(frames);
    expect(whole.subarray(0, sound.length)).toEqual(sound);
    expect(whole.subarray(sound.length)).toEqual(Buffer.alloc(whole.length - sound.length));
    expect(close).toHaveBeenCalledOnce();
  });

  it.each([
    { sampleRate: 22_050 },
    { channels: 2 },
    { bitsPerSample: 24 },
    { encoding: "float", bitsPerSample: 32 },
  ] as const)("cannot be made of sound with %j", async (format) => {
    const { encoder, createEncoder } = setUp();
    await expect(encoder.encode(speechOf(Buffer.alloc(960), format))).rejects.toThrow("mono PCM");
    expect(createEncoder).not.toHaveBeenCalled();
  });
});

describe("a text as a voice note", () => {
  const make = async (text: string, language: string) => {
    const speech = speechOf(Buffer.alloc(48_000));
    const synthesize = vi.fn(async (_request: SpeechRequest) => speech);
    const notes = createVoiceNotes({ synthesizer: { synthesize }, encoder: setUp().encoder });
    return { note: await notes.make(text, language, { signal }), synthesize, speech };
  };

  it("is spoken by a voice of its own language", async () => {
    const { note, synthesize, speech } = await make("**Webale** nnyo 🙏", "nyn");
    expect(synthesize.mock.calls[0]?.[0]).toEqual({
      text: "Webale nnyo",
      voice: "salt_nyn_0001",
      language: "nyn",
      sampling: {},
    });
    expect(note).toMatchObject({ contentType: "audio/ogg; codecs=opus", fileName: "voice.ogg" });
    expect(speech.cancel).toHaveBeenCalledOnce();
  });

  it("cannot be made without words or without a voice", async () => {
    await expect(make("🙏", "lug")).rejects.toThrow("nothing to say");
    await expect(make("Mi ngoni", "lgg")).rejects.toThrow("nothing to say");
    expect([hasVoice("lug"), hasVoice("lgg"), hasVoice("swa")]).toEqual([true, false, true]);
  });
});
