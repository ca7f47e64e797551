import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type SampleInference, startSampleInference } from "../src/index.ts";
import { createTranscription } from "../src/transcription/create-transcription.ts";
import { noRecogniser } from "../src/transcription/transcript.ts";
import { serve } from "./audio-fixture.ts";
import { boundary, headers, sendForm, start, whole } from "./upload-form.ts";

let server: SampleInference;

beforeAll(async () => {
  server = await startSampleInference();
});

afterAll(() => server.close());

describe("A form that comes in", () => {
  const send = (body: NonNullable<RequestInit["body"]>) => sendForm(server.baseUrl, body);

  const expectAlive = async (): Promise<void> => {
    const response = await send(new Uint8Array(whole));
    expect(await response.json()).toEqual({ text: noRecogniser });
  };

  it("is refused wherever it breaks off (400), and the server continues", async () => {
    for (let length = 0; length < whole.length - 2; length += 7) {
      const response = await send(new Uint8Array(whole.subarray(0, length)));
      expect.soft(response.status, `after ${length} bytes`).toBe(400);
      expect(await response.json()).toMatchObject({ error: { type: "invalid_request_error" } });
    }
    await expectAlive();
  });

  it("is refused when it breaks off in an unrequested file (400), and the server continues", async () => {
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
});
