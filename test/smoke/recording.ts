import { expect } from "vitest";
import { call } from "../support/client.ts";
import { formFile } from "../support/multipart.ts";
import { tone } from "../support/test-audio.ts";
import { wavFile } from "../support/wav.ts";

const sampleRate = 8_000;

/** A second of a tone: too short to cost anything. */
export const recording = wavFile(tone(1, { sampleRate }), { sampleRate, stated: true });

/** The recording as a file of a form. */
export const recordingFile = (): File => formFile(recording);

/** Sends the recording to a signed link of the bucket. */
export const put = async (url: string): Promise<void> => {
  const { status, body } = await call(url, {
    method: "PUT",
    headers: { "Content-Type": "audio/wav" },
    body: new Blob([recording]),
  });
  expect(status, JSON.stringify(body)).toBe(200);
};
