import { PassThrough, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, expect, it, vi } from "vitest";
import { sendStream } from "../../../shared/http/send-stream.ts";

describe("a streamed answer", () => {
  it("arrives whole", async () => {
    const stream = new PassThrough();
    const received = text(stream);
    await sendStream(
      stream,
      (async function* () {
        yield "one ";
        yield new TextEncoder().encode("two");
      })(),
    );
    expect(await received).toBe("one two");
  });

  it("is left without an end when its maker fails, because half of it must not look whole", async () => {
    const stream = new PassThrough();
    const sending = sendStream(
      stream,
      (async function* () {
        yield "half";
        throw new Error("broken");
      })(),
    );
    await expect(sending).rejects.toThrow("broken");
    expect(stream.read().toString()).toBe("half");
    expect(stream.writableEnded).toBe(false);
  });

  it("stops its maker when the reader goes away", async () => {
    const stream = new PassThrough({ highWaterMark: 4 });
    let stopped = false;
    const sending = sendStream(
      stream,
      (async function* () {
        try {
          for (;;) yield "chunk";
        } finally {
          stopped = true;
        }
      })(),
    );
    stream.once("data", () => stream.destroy(new Error("connection reset")));
    await sending;
    expect(stopped).toBe(true);
  });

  it("stops its maker also while the next piece is waited for", async () => {
    const stream = new PassThrough();
    const stopped = Promise.withResolvers<IteratorResult<string>>();
    const body: AsyncIterable<string> = {
      [Symbol.asyncIterator]: () => ({
        next: () => stopped.promise,
        return: async () => {
          stopped.resolve({ done: true, value: undefined });
          return { done: true, value: undefined };
        },
      }),
    };
    const sending = sendStream(stream, body);
    stream.destroy();
    expect(await sending).toBe("client_disconnected");
  });

  it("sends status and headers before its first piece is made", async () => {
    const stream = new PassThrough();
    stream.resume();
    const write = vi.spyOn(stream, "write");
    const written: number[] = [];
    await sendStream(
      stream,
      (async function* () {
        written.push(write.mock.calls.length);
        yield "one";
      })(),
    );
    expect(written).toEqual([1]);
  });

  it("is no failure when its maker gives up because the reader went away", async () => {
    const stream = new PassThrough();
    const sending = sendStream(
      stream,
      (async function* () {
        yield "one";
        stream.destroy();
        throw new Error("aborted");
      })(),
    );
    expect(await sending).toBe("client_disconnected");
  });

  it("is made no faster than it is read", async () => {
    let made = 0;
    let release = () => {};
    const stream = new Writable({
      highWaterMark: 1,
      write: (_chunk, _encoding, done) => {
        release = done;
      },
    });
    const sending = sendStream(
      stream,
      (async function* () {
        while (made < 10) {
          made += 1;
          yield "x".repeat(10);
        }
      })(),
    );
    await new Promise((resolve) => setImmediate(resolve));
    expect(made).toBeLessThanOrEqual(1);
    const reading = setInterval(() => release(), 1);
    await sending;
    clearInterval(reading);
    expect(made).toBe(10);
  });
});
