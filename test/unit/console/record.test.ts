import { afterEach, expect, it, vi } from "vitest";
import { startRecording } from "../../../functions/console/client/parts/record.ts";

afterEach(() => vi.unstubAllGlobals());

/** A browser that records in some formats, and in its own when none is named. */
const recordIn = async (supported: readonly string[], own: string): Promise<File> => {
  class Recorder extends EventTarget {
    static isTypeSupported = (type: string): boolean => supported.includes(type);
    state = "inactive";
    readonly mimeType: string;
    constructor(_stream: unknown, { mimeType = own }: { readonly mimeType?: string }) {
      super();
      this.mimeType = mimeType;
    }
    start(): void {
      this.state = "recording";
    }
    stop(): void {
      this.state = "inactive";
      this.dispatchEvent(Object.assign(new Event("dataavailable"), { data: new Blob(["sound"]) }));
      this.dispatchEvent(new Event("stop"));
    }
  }
  vi.stubGlobal("MediaRecorder", Recorder);
  class Context {
    createAnalyser = () => ({
      fftSize: 4,
      getByteTimeDomainData: (samples: Uint8Array) => samples.set([128, 64]),
    });
    createMediaStreamSource = () => ({ connect: () => undefined });
    close = async (): Promise<void> => undefined;
  }
  vi.stubGlobal("AudioContext", Context);
  vi.stubGlobal("navigator", { mediaDevices: { getUserMedia: async () => ({ getTracks: () => [] }) } });
  const recording = await startRecording();
  // The samples of silence are 128; those that the analyser does not write stay 0.
  expect(recording.level()).toBe(1);
  recording.stop();
  return recording.file;
};

it.each([
  ["Opus where the browser has it", ["audio/mp4", "audio/webm;codecs=opus"], "recording.webm"],
  ["AAC where it has no Opus", ["audio/mp4"], "recording.mp4"],
  ["the browser's own format where it has neither", [], "recording"],
])("A recording is %s, and is named for it", async (_which, supported, name) => {
  const file = await recordIn(supported, "audio/own");
  const type = { "recording.webm": "audio/webm;codecs=opus", "recording.mp4": "audio/mp4" }[name];
  expect([file.name, file.type, file.size]).toEqual([name, type ?? "audio/own", 5]);
});
