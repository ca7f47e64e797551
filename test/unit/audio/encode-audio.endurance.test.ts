import { describe, expect, it } from "vitest";
import { encodeAudio } from "../../../shared/audio/encode/encode-audio.ts";
import type { Speech } from "../../../shared/audio/wav/streamed-wav.ts";
import { endurance } from "../../support/endurance.ts";
import { speechOfAudio, tone } from "../../support/test-audio.ts";

const totalSeconds = endurance(6 * 60, 60 * 60);

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

describe("a long speech", () => {
  it.each([
    { format: "mp3", sampleRate: 24_000, bytesPerSecond: 6_000 },
    { format: "opus", sampleRate: 24_000, bytesPerSecond: 3_300 },
    { format: "pcm", sampleRate: 22_050, bytesPerSecond: 48_000 },
  ] as const)(
    "takes no more memory than a sixth of it: $format",
    async ({ format, sampleRate, bytesPerSecond }) => {
      const audio = await encodeAudio(format, longSpeech(totalSeconds, sampleRate));
      let bytes = 0;
      let afterASixth = 0;
      for await (const piece of audio.pieces) {
        bytes += piece.length;
        if (audio.end().seconds >= totalSeconds / 6 && afterASixth === 0)
          afterASixth = process.memoryUsage().rss;
      }
      expect(audio.end().seconds).toBe(totalSeconds);
      expect(bytes).toBeLessThan(1.01 * totalSeconds * bytesPerSecond);
      expect(process.memoryUsage().rss - afterASixth).toBeLessThan(40e6);
    },
    300_000,
  );
});
