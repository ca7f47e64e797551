import { sampleModels } from "../src/index.ts";
import { makeTone, makeWav } from "./audio-fixture.ts";

export const boundary = "b";
export const start = [
  `--${boundary}\r\nContent-Disposition: form-data; name="model"\r\n\r\n${sampleModels.transcription}\r\n`,
  `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n`,
  "Content-Type: audio/wav\r\n\r\n",
].join("");
export const end = `\r\n--${boundary}--\r\n`;
const tone = makeWav(makeTone(0.2, [[0, 0.2]], 1_000), 1_000);
export const whole = Buffer.concat([Buffer.from(start), tone, Buffer.from(end)]);
export const headers = { "content-type": `multipart/form-data; boundary=${boundary}` };

/** Sends the body of a form to a server's transcriptions. */
export const sendForm = (baseUrl: string, body: NonNullable<RequestInit["body"]>): Promise<Response> =>
  fetch(`${baseUrl}/audio/transcriptions`, { method: "POST", headers, body, duplex: "half" });
