/** Opus wherever there is; Safari before 18.4 writes AAC. */
const formats = [
  { mimeType: "audio/webm;codecs=opus", name: "recording.webm" },
  { mimeType: "audio/mp4", name: "recording.mp4" },
];

/** Speech needs no more, and a minute is 120 kB. */
const audioBitsPerSecond = 16_000;

/** Ten minutes: whoever forgets that they record is not recorded for ever. */
const maxMilliseconds = 600_000;

/** A recording that is under way. */
export interface MicrophoneRecording {
  /** Ends it, and the use of the microphone. */
  stop(): void;
  /** What was recorded, once it has ended. */
  readonly file: Promise<File>;
}

/** Whether this browser, at this address, records at all. */
export const canRecord = (): boolean =>
  typeof MediaRecorder !== "undefined" && Boolean(navigator.mediaDevices?.getUserMedia);

/** Begins to record. It rejects when the microphone is refused or there is none. */
export const startRecording = async (): Promise<MicrophoneRecording> => {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: { channelCount: 1 } });
  const format = formats.find(({ mimeType }) => MediaRecorder.isTypeSupported(mimeType));
  const recorder = new MediaRecorder(stream, {
    audioBitsPerSecond,
    ...(format ? { mimeType: format.mimeType } : {}),
  });
  const pieces: Blob[] = [];
  recorder.addEventListener("dataavailable", ({ data }) => pieces.push(data));
  const stop = () => {
    if (recorder.state !== "inactive") recorder.stop();
  };
  const timer = setTimeout(stop, maxMilliseconds);
  const file = new Promise<File>((resolve) => {
    recorder.addEventListener("stop", () => {
      clearTimeout(timer);
      for (const track of stream.getTracks()) track.stop();
      resolve(new File(pieces, format?.name ?? "recording", { type: recorder.mimeType }));
    });
  });
  recorder.start();
  return { stop, file };
};
