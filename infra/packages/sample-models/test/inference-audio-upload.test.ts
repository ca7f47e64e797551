import { fork } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { createTranscription } from "../src/endpoints/create-transcription.ts";
import { type SampleInference, sampleModels, startSampleInference } from "../src/sample-server.ts";
import { makeTone, makeWav, serve } from "./inference-audio-fixture.ts";

let server: SampleInference;

beforeAll(async () => {
  server = await startSampleInference();
});

afterAll(() => server.close());

describe("A form that comes in", () => {
  const boundary = "b";
  const start = [
    `--${boundary}\r\nContent-Disposition: form-data; name="model"\r\n\r\n${sampleModels.transcription}\r\n`,
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n`,
    "Content-Type: audio/wav\r\n\r\n",
  ].join("");
  const end = `\r\n--${boundary}--\r\n`;
  const tone = makeWav(makeTone(0.2, [[0, 0.2]], 1_000), 1_000);
  const whole = Buffer.concat([Buffer.from(start), tone, Buffer.from(end)]);
  const headers = { "content-type": `multipart/form-data; boundary=${boundary}` };

  function send(body: NonNullable<RequestInit["body"]>, baseUrl = server.baseUrl): Promise<Response> {
    const url = `${baseUrl}/audio/transcriptions`;
    return fetch(url, { method: "POST", headers, body, duplex: "half" });
  }

  async function expectAlive(): Promise<void> {
    const response = await send(new Uint8Array(whole));
    expect(await response.json()).toEqual({ text: "[sample server: no recogniser]" });
  }

  /** A form with a file of so many mebibytes, made while it is sent. */
  async function* largeForm(head: Buffer, mebibytes: number): AsyncGenerator<Uint8Array> {
    const mebibyte = Buffer.alloc(1024 * 1024, "RIFF");
    yield Buffer.concat([Buffer.from(start), head]);
    for (let sent = 0; sent < mebibytes; sent += 1) yield mebibyte;
    yield Buffer.from(end);
  }

  it("is refused wherever it breaks off (400), and the server goes on", async () => {
    for (let length = 0; length < whole.length - 2; length += 7) {
      const response = await send(new Uint8Array(whole.subarray(0, length)));
      expect.soft(response.status, `after ${length} bytes`).toBe(400);
      expect(await response.json()).toMatchObject({ error: { type: "invalid_request_error" } });
    }
    await expectAlive();
  });

  it("is refused when it breaks off in a file that nobody asked for (400), and the server goes on", async () => {
    const other = `--${boundary}\r\nContent-Disposition: form-data; name="other"; filename="x"\r\n\r\nxxx`;
    expect((await send(other)).status).toBe(400);
    await expectAlive();
  });

  it("is refused when its parts have no names (400)", async () => {
    const nameless = `--${boundary}\r\nContent-Disposition: form-data\r\n\r\nvalue\r\n--${boundary}--\r\n`;
    expect((await send(nameless)).status).toBe(400);
    await expectAlive();
  });

  it("is refused when it has two files or too many fields (400)", async () => {
    const part = `--${boundary}\r\nContent-Disposition: form-data; name="x"; filename="x"\r\n\r\nx\r\n`;
    const field = `--${boundary}\r\nContent-Disposition: form-data; name="x"\r\n\r\nx\r\n`;
    for (const body of [part.repeat(2), field.repeat(40)]) {
      const response = await send(`${body}--${boundary}--\r\n`);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ error: { message: "The form has too many parts." } });
    }
    await expectAlive();
  });

  it("may be given up by the client in the middle of the file", async () => {
    const { port, handled, close } = await serve(createTranscription);
    const socket = connect(port, "127.0.0.1");
    const head = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n";
    socket.write(`${head}Content-Type: ${headers["content-type"]}\r\n\r\n${start}RIFF`);
    await once(socket, "connect");
    socket.end();
    expect(String(await handled)).toContain("closed before the end");
    await close();
  });

  it("may have a file of 100 MiB, which does not stay in memory", async () => {
    const child = fork(join(import.meta.dirname, "inference-process.ts"));
    const [started] = await once(child, "message");
    const { baseUrl } = z.object({ baseUrl: z.string() }).parse(started);
    const peakMemory = async () => {
      child.send("memory");
      const [answer] = await once(child, "message");
      return z.object({ peakMemory: z.number() }).parse(answer).peakMemory;
    };
    try {
      const before = await peakMemory();
      // A size of 0 is what a writer leaves that does not know it: all that follows is sound.
      const response = await send(largeForm(makeWav(new Int16Array(0), 16_000), 100), baseUrl);
      expect(await response.json()).toEqual({ text: "[sample server: no recogniser]" });
      expect(((await peakMemory()) - before) / 1024 / 1024).toBeLessThan(150);
    } finally {
      child.disconnect();
      await once(child, "exit");
    }
  });

  it("is refused with a file of more than 110 MiB (413)", async () => {
    const response = await send(largeForm(Buffer.from("OggS"), 110));
    expect(response.status).toBe(413);
    await expectAlive();
  });
});
