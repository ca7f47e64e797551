/** Opus where the browser supports it; Safari before 18.4 records AAC. */
const formats = [
  { mimeType: "audio/webm;codecs=opus", name: "recording.webm" },
  { mimeType: "audio/mp4", name: "recording.mp4" },
];

/** Enough for speech: a minute is 120 kB. */
const audioBitsPerSecond = 16_000;

/** Stops recordings that someone forgot. */
const maxMilliseconds = 600_000;

/** An active recording. */
export interface MicrophoneRecording {
  /** How loud it is now, from 0 to 1. */
  level(): number;
  /** Ends it and releases the microphone. */
  stop(): void;
  /** Resolves when the recording has ended. */
  readonly file: Promise<File>;
}

/** Whether this browser can record on this page. */
export const canRecord = (): boolean =>
  typeof MediaRecorder !== "undefined" && Boolean(navigator.mediaDevices?.getUserMedia);

/** Measures the peak of what a microphone hears. */
const createLevel = (stream: MediaStream): { readonly level: () => number; readonly end: () => void } => {
  const context = new AudioContext();
  const analyser = context.createAnalyser();
  context.createMediaStreamSource(stream).connect(analyser);
  const samples = new Uint8Array(analyser.fftSize);
  const middle = 128;
  return {
    level: () => {
      analyser.getByteTimeDomainData(samples);
      return samples.reduce((highest, sample) => Math.max(highest, Math.abs(sample - middle)), 0) / middle;
    },
    end: () => void context.close(),
  };
};

/** Starts recording. Rejects when the microphone is refused or missing. */
export const startRecording = async (): Promise<MicrophoneRecording> => {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: { channelCount: 1 } });
  const format = formats.find(({ mimeType }) => MediaRecorder.isTypeSupported(mimeType));
  const recorder = new MediaRecorder(stream, {
    audioBitsPerSecond,
    ...(format ? { mimeType: format.mimeType } : {}),
  });
  const pieces: Blob[] = [];
  const { level, end } = createLevel(stream);
  recorder.addEventListener("dataavailable", ({ data }) => pieces.push(data));
  const stop = () => {
    if (recorder.state !== "inactive") recorder.stop();
  };
  const timer = setTimeout(stop, maxMilliseconds);
  const file = new Promise<File>((resolve) => {
    recorder.addEventListener("stop", () => {
      clearTimeout(timer);
      end();
      for (const track of stream.getTracks()) track.stop();
      resolve(new File(pieces, format?.name ?? "recording", { type: recorder.mimeType }));
    });
  });
  recorder.start();
  return { stop, file, level };
};
