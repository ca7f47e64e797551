import { once } from "node:events";
import { afterEach, describe, expect, it, vi } from "vitest";
import { rawStream, startTestGateway, streaming, type TestGateway, thrown } from "./gateway-harness.ts";

let gateway: TestGateway;
afterEach(() => gateway.close());

const start = async (stream: ReturnType<typeof rawStream>): Promise<{ signal: Promise<AbortSignal> }> => {
  const signal = Promise.withResolvers<AbortSignal>();
  gateway = await startTestGateway({
    chat: (_event, callerSignal) => {
      if (callerSignal !== undefined) signal.resolve(callerSignal);
      return stream.result;
    },
  });
  return { signal: signal.promise };
};

const chat = (signal?: AbortSignal): Promise<Response> =>
  fetch(`${gateway.url}/chat`, { method: "POST", ...(signal !== undefined && { signal }) });

const sse = { statusCode: 200, headers: { "Content-Type": "text/event-stream" } };

/** Reads what has arrived, one piece at a time. */
const pieces = (response: Response) => {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  return async (): Promise<string | undefined> => (await reader?.read())?.value;
};

describe("A stream", () => {
  it("begins with its status and headers before there is any body", async () => {
    const stream = streaming({ statusCode: 203, headers: { "X-One": "1" }, cookies: ["a=1", "b=2"] });
    await start(stream);
    const response = await chat();
    expect(response.status).toBe(203);
    expect(response.headers.get("x-one")).toBe("1");
    expect(response.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
    expect(response.headers.get("transfer-encoding")).toBe("chunked");
    expect(response.headers.get("x-amzn-requestid")).not.toBeNull();
    stream.body.end("x");
    expect(await response.text()).toBe("x");
  });

  it("arrives piece by piece, each as soon as the function has written it", async () => {
    const stream = streaming(sse);
    await start(stream);
    const next = pieces(await chat());
    for (const text of [": ping\n\n", "data: 1\n\n", "data: [DONE]\n\n"]) {
      stream.body.write(text);
      expect(await next()).toBe(text);
    }
    stream.body.end();
    expect(await next()).toBeUndefined();
  });

  it("is understood however its metadata and its body are cut into pieces", async () => {
    const stream = rawStream();
    await start(stream);
    const body = `one ${"\0".repeat(8)} two`;
    const whole = Buffer.from(`${JSON.stringify({ statusCode: 201 })}${"\0".repeat(8)}${body}`);
    const received = chat();
    for (const byte of whole) {
      stream.body.write(Buffer.of(byte));
      await new Promise((resolve) => setImmediate(resolve));
    }
    stream.body.end();
    const response = await received;
    expect(response.status).toBe(201);
    expect(await response.text()).toBe(body);
  });

  it("may be over before it is read, and may have no body", async () => {
    const stream = streaming({ statusCode: 202, headers: { "X-One": "1" } });
    stream.body.end();
    await start(stream);
    const response = await chat();
    expect(response.status).toBe(202);
    expect(await response.text()).toBe("");
  });

  it("carries bytes as they are, without binary media types", async () => {
    const stream = streaming({ statusCode: 200, headers: { "content-type": "audio/wav" } });
    await start(stream);
    const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, index) => index % 256));
    stream.body.end(bytes);
    expect(Buffer.from(await (await chat()).arrayBuffer()).equals(bytes)).toBe(true);
  });

  it("waits for a caller who reads slowly, instead of piling up", async () => {
    const stream = streaming(sse);
    await start(stream);
    const response = await chat();
    const piece = Buffer.alloc(64 * 1024, "x");
    let written = 0;
    const write = async (): Promise<void> => {
      while (written < 64 * 1024 * 1024) {
        written += piece.length;
        if (!stream.body.write(piece)) await once(stream.body, "drain");
      }
      stream.body.end();
    };
    const writing = write();
    let before = -1;
    // The writer pauses once the buffers between it and the caller are full.
    await vi.waitFor(
      () => {
        const standsStill = written === before;
        before = written;
        expect(standsStill).toBe(true);
      },
      { interval: 100, timeout: 10_000 },
    );
    expect(written).toBeLessThan(32 * 1024 * 1024);
    const received = (await response.arrayBuffer()).byteLength;
    await writing;
    expect(received).toBe(written);
  });
});

describe("A caller who leaves", () => {
  it("ends the reading of the stream and aborts the invocation", async () => {
    const stream = streaming(sse);
    const { signal } = await start(stream);
    const caller = new AbortController();
    const response = await chat(caller.signal);
    stream.body.write("data: 1\n\n");
    await pieces(response)();
    const closed = once(stream.body, "close");
    caller.abort();
    await closed;
    expect((await signal).aborted).toBe(true);
    expect(gateway.log.join()).not.toContain("broke off");
  });

  it("aborts it also before the response has started", async () => {
    const called = Promise.withResolvers<AbortSignal | undefined>();
    gateway = await startTestGateway({
      chat: (_event, signal) => {
        called.resolve(signal);
        const { promise, reject } = Promise.withResolvers<never>();
        signal?.addEventListener("abort", () => reject(signal.reason));
        return promise;
      },
    });
    const caller = new AbortController();
    const response = chat(caller.signal);
    const signal = await called.promise;
    caller.abort();
    await expect(response).rejects.toThrow();
    await vi.waitFor(() => expect(signal?.aborted).toBe(true));
  });

  it("differs from a complete response: the signal stays quiet", async () => {
    const stream = streaming(sse);
    const { signal } = await start(stream);
    stream.body.end("data: [DONE]\n\n");
    await (await chat()).text();
    await vi.waitFor(() => expect(gateway.log).toHaveLength(1));
    expect((await signal).aborted).toBe(false);
  });
});

describe("A stream that fails", () => {
  it("midway breaks the connection, so that no client takes it as complete", async () => {
    const stream = streaming(sse);
    await start(stream);
    const response = await chat();
    stream.body.write("data: 1\n\n");
    const next = pieces(response);
    expect(await next()).toBe("data: 1\n\n");
    stream.breakOff("Error: boom");
    await expect(next()).rejects.toThrow();
    expect(gateway.log).toContain("The function chat broke off its stream.");
  });

  it("with its last byte breaks the connection, too", async () => {
    const stream = streaming(sse);
    await start(stream);
    const response = await chat();
    stream.body.write("data: 1\n\n");
    stream.endWith("Error: boom");
    await expect(response.text()).rejects.toThrow();
  });

  it("right after its metadata breaks the connection, too", async () => {
    const stream = streaming(sse);
    await start(stream);
    stream.endWith("Error: boom");
    await expect(chat().then((response) => response.text())).rejects.toThrow();
  });

  it("before it has started returns 502", async () => {
    gateway = await startTestGateway({ chat: () => thrown("boom") });
    expect((await chat()).status).toBe(502);
  });

  it("before its metadata is complete returns 502", async () => {
    const stream = rawStream();
    await start(stream);
    stream.body.write('{"statusCode":200}\0\0\0');
    stream.endWith("Error: boom");
    expect((await chat()).status).toBe(502);
    expect(gateway.log[0]).toBe("The function chat failed before its stream had started.");
  });

  it.each([
    ["no metadata at all", rawStream("text/plain"), "hello"],
    ["metadata that are not JSON", rawStream(), `nonsense${"\0".repeat(8)}hello`],
    ["metadata that never end", rawStream(), "x".repeat(20_000)],
  ])(
    "to start properly, with %s, returns 502, and the log says what is missing",
    async (_what, stream, bytes) => {
      await start(stream);
      stream.body.write(bytes);
      const response = await chat();
      expect(response.status).toBe(502);
      expect(await response.json()).toEqual({ message: "Internal server error" });
      expect(gateway.log[0]).toBe(
        "The function chat streamed no status and headers (awslambda.HttpResponseStream) before its body.",
      );
      expect(stream.body.destroyed).toBe(true);
    },
  );

  it("to end in the integration's time is cut off", async () => {
    const stream = streaming(sse);
    await start(stream);
    const response = await fetch(`${gateway.url}/chat/impatient`, { method: "POST" });
    stream.body.write("data: 1\n\n");
    await expect(response.text()).rejects.toThrow();
    expect(gateway.log).toContain("The function chat streamed for longer than it may.");
  });

  it("to start in the integration's time returns 504", async () => {
    const silent = rawStream();
    await start(silent);
    const response = await fetch(`${gateway.url}/chat/impatient`, { method: "POST" });
    expect(response.status).toBe(504);
    expect(silent.body.destroyed).toBe(true);
  });
});
