import { describe, expect, it } from "vitest";
import { recordSpeech } from "../../../functions/speech/record-speech.ts";
import { encodeAudio } from "../../../shared/audio/encode/encode-audio.ts";
import type { Speech } from "../../../shared/audio/wav/streamed-wav.ts";
import type { ObjectWriter } from "../../../shared/platform/storage/object-store.ts";
import { audioBytes, wavFile, wavHeaderBytes } from "../../support/wav.ts";

const audio = audioBytes(960);
const header = wavHeaderBytes(0);

/** Speech and a store that note what happens to them, in its order. */
const setup = (failure?: Error) => {
  const steps: string[] = [];
  let completed: Buffer | undefined;
  const speech: Speech = {
    header: {
      bytes: header,
      format: { encoding: "pcm", sampleRate: 24_000, channels: 1, bitsPerSample: 16 },
      audioBytes: undefined,
    },
    audio: (async function* () {
      yield audio.subarray(0, 500);
      if (failure) throw failure;
      yield audio.subarray(500);
    })(),
    cancel: () => steps.push("cancel"),
  };
  /** Ends after anything that is not awaited. */
  const slowly = async (name: string): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    steps.push(name);
  };
  const writer: ObjectWriter = {
    write: (bytes) => slowly(`write ${bytes.length}`),
    complete: async (start = new Uint8Array()) => {
      await slowly("complete");
      completed = Buffer.from(start);
    },
    abort: () => slowly("abort"),
  };
  return { speech, writer, steps, completed: () => completed };
};

describe("speech that is stored while it leaves", () => {
  it("passes each piece on once it is written, and ends when the object is stored", async () => {
    const { speech, writer, steps, completed } = setup();
    const pieces: Uint8Array[] = [];
    const recorded = await encodeAudio("wav", speech);
    for await (const piece of recordSpeech(recorded, writer)) {
      pieces.push(piece);
      steps.push(`piece ${piece.length}`);
    }
    expect(recorded.end().seconds).toBe(0.02);
    expect(steps).toEqual([
      "write 44",
      "piece 44",
      "write 500",
      "piece 500",
      "write 460",
      "piece 460",
      "cancel",
      "complete",
      "abort",
    ]);
    expect(Buffer.concat(pieces)).toEqual(Buffer.concat([header, audio]));
    expect(completed()).toEqual(wavFile(audio, { stated: true }).subarray(0, 44));
  });

  it("is given up in the model's server and in the store when it breaks off", async () => {
    const failure = new Error("The server broke off.");
    const { speech, writer, steps } = setup(failure);
    const reading = async (): Promise<void> => {
      for await (const _piece of recordSpeech(await encodeAudio("wav", speech), writer)) steps.push("piece");
    };
    await expect(reading()).rejects.toBe(failure);
    expect(steps).toEqual(["write 44", "piece", "write 500", "piece", "cancel", "abort"]);
  });

  it("is abandoned when its reader leaves", async () => {
    const { speech, writer, steps } = setup();
    for await (const _piece of recordSpeech(await encodeAudio("wav", speech), writer)) break;
    expect(steps).toEqual(["write 44", "cancel", "abort"]);
  });
});

describe("speech that only leaves", () => {
  it("is abandoned in the model's server when its reader leaves", async () => {
    const { speech, steps } = setup();
    for await (const _piece of (await encodeAudio("wav", speech)).pieces) break;
    expect(steps).toEqual(["cancel"]);
  });
});
