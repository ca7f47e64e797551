import { vi } from "vitest";
import { speechEndpoints } from "../../functions/speech/endpoints.ts";
import { encodeAudio } from "../../shared/audio/encode/encode-audio.ts";
import type { Speech } from "../../shared/audio/wav/streamed-wav.ts";
import { readWavHeader } from "../../shared/audio/wav/wav-header.ts";
import type { SpeechRequest } from "../../shared/models/inference/speech.ts";
import type { ObjectWriter } from "../../shared/platform/storage/object-store.ts";
import { audioBytes, wavHeaderBytes } from "./wav.ts";

/** Speech that is ready at once: a tenth of a second for each character of the text. */
export const speechOf = ({ text }: SpeechRequest): Speech => {
  const bytes = wavHeaderBytes(0, { comment: text });
  const header = readWavHeader(bytes);
  if (!header) throw new Error("The header is not complete.");
  const audio = audioBytes([...text].length * 4_800);
  return {
    header: { bytes, format: header.format, audioBytes: undefined },
    audio: (async function* () {
      yield audio.subarray(0, 1_000);
      yield audio.subarray(1_000);
    })(),
    cancel: () => undefined,
  };
};

/** When every link that a test signs ends. */
export const linkExpiresAt = new Date("2026-11-20T10:30:00.000Z");

/** The endpoints of speech over a model and a store in memory. */
export const speechInMemory = ({
  speechLifetimeDays,
}: {
  readonly speechLifetimeDays?: number | undefined;
} = {}) => {
  const objects = new Map<string, Buffer>();
  const synthesize = vi.fn(
    async (request: SpeechRequest, _options: { readonly signal: AbortSignal }): Promise<Speech> =>
      speechOf(request),
  );
  const write = vi.fn((key: string, _options: { readonly contentType: string }): ObjectWriter => {
    const pieces: Uint8Array[] = [];
    return {
      write: async (bytes) => void pieces.push(bytes),
      complete: async (start = new Uint8Array()) => {
        const whole = Buffer.concat(pieces);
        whole.set(start);
        objects.set(key, whole);
      },
      abort: async () => undefined,
    };
  });
  const store = {
    write,
    describe: async (key: string) => {
      const found = objects.get(key);
      return found && { size: found.length, contentType: "audio/wav" };
    },
    signDownload: vi.fn(
      async (key: string, _presentation?: { readonly contentType: string; readonly fileName: string }) => ({
        url: `https://storage.example.com/${key}?signature`,
        expiresAt: linkExpiresAt,
      }),
    ),
  };
  const endpoints = speechEndpoints({
    synthesizer: { synthesize },
    store,
    model: "tts-1",
    encode: encodeAudio,
    platform: "the-platform",
    speechLifetimeDays,
  });
  return { endpoints, objects, store, synthesize };
};
