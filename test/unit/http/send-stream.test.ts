import { PassThrough, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, expect, it, vi } from "vitest";
import { sendStream } from "../../../shared/http/send-stream.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";
import type { Receiver, Source } from "../../../shared/platform/outbound/source.ts";

describe("a streamed response", () => {
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

  it("stops its producer also while waiting for the next piece", async () => {
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

  it("sends status and headers before its first piece", async () => {
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

  it("is produced no faster than it is read", async () => {
    let sent = 0;
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
        while (sent < 10) {
          sent += 1;
          yield "x".repeat(10);
        }
      })(),
    );
    await new Promise((resolve) => setImmediate(resolve));
    expect(sent).toBeLessThanOrEqual(1);
    const reading = setInterval(() => release(), 1);
    await sending;
    clearInterval(reading);
    expect(sent).toBe(10);
  });
});

/** A source whose pieces the test sends, and the calls to it. */
const givenByTest = () => {
  const requested: string[] = [];
  let receiver: Receiver<string> | undefined;
  const source: Source<string> = {
    start: (given) => {
      requested.push("start");
      receiver = given;
    },
    pause: () => void requested.push("pause"),
    resume: () => void requested.push("resume"),
    stop: () => void requested.push("stop"),
  };
  return {
    source,
    requested,
    give: (piece: string) => receiver?.onPiece(piece),
    end: (failure?: unknown) => receiver?.onEnd(failure),
  };
};

describe("a stream whose pieces are given as they come", () => {
  it("arrives whole, its status and headers before the first piece, and reports its sizes in bytes", async () => {
    const stream = new PassThrough();
    const received = text(stream);
    const write = vi.spyOn(stream, "write");
    const { source, give, end } = givenByTest();
    const sizes: number[] = [];
    const sending = sendStream(stream, source, { onSent: (bytes) => sizes.push(bytes) });
    expect(write.mock.calls.map(([piece]) => piece)).toEqual([""]);
    give("ŋŋ");
    give("one");
    end();
    expect(await sending).toBe("whole");
    expect(await received).toBe("ŋŋone");
    expect(sizes).toEqual([4, 3]);
  });

  it("reports a failure that its text contained", async () => {
    const stream = new PassThrough();
    stream.resume();
    const { source, give, end } = givenByTest();
    const failure = new AppError("service_unavailable");
    const reported: unknown[] = [];
    const sending = sendStream(stream, source, { onReportedFailure: (of) => reported.push(of) });
    give("an error");
    end(failure);
    expect(await sending).toBe("whole");
    expect(reported).toEqual([failure]);
  });

  it("is paused while its reader takes no more, and stopped when they go away", async () => {
    let release = () => {};
    const stream = new Writable({
      highWaterMark: 1,
      write: (_chunk, _encoding, done) => {
        release = done;
      },
    });
    const { source, requested, give } = givenByTest();
    const sending = sendStream(stream, source);
    release();
    await new Promise(setImmediate);
    give("piece");
    expect(requested).toEqual(["start", "pause"]);
    release();
    await new Promise(setImmediate);
    expect(requested).toEqual(["start", "pause", "resume"]);
    stream.destroy();
    expect(await sending).toBe("client_disconnected");
    expect(requested).toEqual(["start", "pause", "resume", "stop"]);
  });

  it("is never started for a reader who has gone", async () => {
    const stream = new PassThrough();
    stream.destroy();
    const { source, requested } = givenByTest();
    expect(await sendStream(stream, source)).toBe("client_disconnected");
    expect(requested).toEqual(["stop"]);
  });

  it("is stopped and left without an end when a piece cannot be written", async () => {
    const stream = new PassThrough();
    const { source, requested, give } = givenByTest();
    const sending = sendStream(stream, source);
    vi.spyOn(stream, "write").mockImplementation(() => {
      throw new Error("broken");
    });
    give("piece");
    await expect(sending).rejects.toThrow("broken");
    expect(requested).toEqual(["start", "stop"]);
    expect(stream.writableEnded).toBe(false);
  });
});
