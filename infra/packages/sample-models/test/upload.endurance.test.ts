import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { startSampleInference } from "../src/index.ts";
import { noRecogniser } from "../src/transcription/transcript.ts";
import { makeWav } from "./audio-fixture.ts";
import { end, sendForm, start, whole } from "./upload-form.ts";

/** A form with a file of this many mebibytes, written as a stream. */
async function* largeForm(head: Buffer, mebibytes: number): AsyncGenerator<Uint8Array> {
  const mebibyte = Buffer.alloc(1024 * 1024, "RIFF");
  yield Buffer.concat([Buffer.from(start), head]);
  for (let sent = 0; sent < mebibytes; sent += 1) yield mebibyte;
  yield Buffer.from(end);
}

describe("A form with a large file", () => {
  it("may have a file of 100 MiB, which does not stay in memory", async () => {
    const child = fork(join(import.meta.dirname, "server-process.ts"));
    const [started] = await once(child, "message");
    const { baseUrl } = z.object({ baseUrl: z.string() }).parse(started);
    const peakMemory = async () => {
      child.send("memory");
      const [result] = await once(child, "message");
      return z.object({ peakMemory: z.number() }).parse(result).peakMemory;
    };
    try {
      const before = await peakMemory();
      // A writer that does not know the size leaves 0: all that follows is audio.
      const response = await sendForm(baseUrl, largeForm(makeWav(new Int16Array(0), 16_000), 100));
      expect(await response.json()).toEqual({ text: noRecogniser });
      expect(((await peakMemory()) - before) / 1024 / 1024).toBeLessThan(150);
    } finally {
      child.disconnect();
      await once(child, "exit");
    }
  });

  it("is refused with a file of more than 110 MiB (413)", async () => {
    const server = await startSampleInference();
    try {
      const response = await sendForm(server.baseUrl, largeForm(Buffer.from("OggS"), 110));
      expect(response.status).toBe(413);
      const next = await sendForm(server.baseUrl, new Uint8Array(whole));
      expect(await next.json()).toEqual({ text: noRecogniser });
    } finally {
      await server.close();
    }
  });
});
