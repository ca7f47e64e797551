import { describe, expect, it } from "vitest";
import { encodeAudio } from "../../../shared/audio/encode/encode-audio.ts";
import type { Speech } from "../../../shared/audio/wav/streamed-wav.ts";
import { speechOfAudio, tone } from "../../support/test-audio.ts";

const hour = 3_600;

/** A second of audio, over and over. */
const longSpeech = (seconds: number, sampleRate: number): Speech => {
  const second = tone(1, { sampleRate });
  return {
    ...speechOfAudio(second, { sampleRate }),
    audio: (async function* () {
      for (let passed = 0; passed < seconds; passed += 1) yield second;
    })(),
  };
};

describe("an hour of speech", () => {
  it.each([
    { format: "mp3", sampleRate: 24_000, bytesPerSecond: 6_000 },
    { format: "opus", sampleRate: 24_000, bytesPerSecond: 3_300 },
    { format: "pcm", sampleRate: 22_050, bytesPerSecond: 48_000 },
  ] as const)(
    "takes no more memory than ten minutes of it: $format",
    async ({ format, sampleRate, bytesPerSecond }) => {
      const audio = await encodeAudio(format, longSpeech(hour, sampleRate));
      let bytes = 0;
      let afterTenMinutes = 0;
      for await (const piece of audio.pieces) {
        bytes += piece.length;
        if (audio.end().seconds >= 600 && afterTenMinutes === 0) afterTenMinutes = process.memoryUsage().rss;
      }
      expect(audio.end().seconds).toBe(hour);
      expect(bytes).toBeLessThan(1.01 * hour * bytesPerSecond);
      expect(process.memoryUsage().rss - afterTenMinutes).toBeLessThan(40e6);
    },
    300_000,
  );
});
