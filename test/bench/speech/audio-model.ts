/** What the mock model does with audio: it speaks as long as the text says, and transcribes every recording alike. */
import type { Socket } from "node:net";
import { wavHeaderBytes } from "../../support/wav.ts";

export const sampleRate = 24_000;
export const bytesPerSecond = 2 * sampleRate;

/** A second of something like a voice: four tones that become louder and quieter. */
export const secondOfSpeech = ((): Buffer => {
  const second = Buffer.alloc(bytesPerSecond);
  for (let index = 0; index < sampleRate; index += 1) {
    const time = (2 * Math.PI * index) / sampleRate;
    const tones =
      Math.sin(220 * time) + Math.sin(447 * time) + Math.sin(1_310 * time) + Math.sin(2_900 * time);
    second.writeInt16LE(Math.round(tones * (3_000 + 2_500 * Math.sin(4 * time))), 2 * index);
  }
  return second;
})();

/** A text for this much speech, and long enough for it: the service takes at most half a second for each letter. */
export const textFor = (seconds: number): string =>
  `Speak for ${seconds} seconds. ${"a".repeat(2 * seconds)}`.slice(0, 5_000);

const secondsIn = (body: Buffer): number =>
  Number(/Speak for (\d+) seconds/.exec(body.toString("latin1", 0, 4_096))?.[1] ?? 1);

/** What was said in every recording. */
export const transcript = "Wasuze otya nno, ssebo?";

const transcription = JSON.stringify({
  text: transcript,
  segments: [{ start: 0, end: 1.5, text: transcript }],
});

const head = (contentType: string, framing: string): string =>
  `HTTP/1.1 200 OK\r\nContent-Type: ${contentType}\r\n${framing}\r\nConnection: keep-alive\r\n\r\n`;

const chunk = (bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]);

const spokenSecond = chunk(secondOfSpeech);

const speak = (socket: Socket, seconds: number): void => {
  let spoken = 0;
  const step = (): void => {
    if (socket.destroyed) return;
    if (spoken === seconds) {
      socket.write("0\r\n\r\n");
      return;
    }
    spoken += 1;
    if (socket.write(spokenSecond)) setImmediate(step);
    else socket.once("drain", step);
  };
  socket.write(head("audio/wav", "Transfer-Encoding: chunked"));
  socket.write(chunk(wavHeaderBytes(0)));
  step();
};

/** Responds to a request for speech or for a transcription. @returns whether it was one. */
export const respondWithAudio = (socket: Socket, requestHead: string, body: Buffer): boolean => {
  if (requestHead.startsWith("POST /v1/audio/speech ")) {
    speak(socket, secondsIn(body));
    return true;
  }
  if (!requestHead.startsWith("POST /v1/audio/transcriptions ")) return false;
  socket.write(
    head("application/json", `Content-Length: ${Buffer.byteLength(transcription)}`) + transcription,
  );
  return true;
};
