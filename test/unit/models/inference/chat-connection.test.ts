import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { nextStream, readStream as read, startStream } from "../../../support/chat-stream.ts";
import { type FakeBackend, startFakeBackend } from "../../../support/fake-backend.ts";
import {
  delta,
  finish,
  role,
  sendEvents,
  startEvents,
  streaming,
  usage,
} from "../../../support/fake-stream.ts";
import { piecesOf } from "../../../support/sources.ts";

let backend: FakeBackend;
beforeAll(async () => {
  backend = await startFakeBackend();
});
afterAll(() => backend.close());

const start = (options?: Parameters<typeof startStream>[1]) => startStream(backend, options);

const wholeReply = [role, delta("Oli "), delta("otya?"), finish(), usage, "[DONE]"];

describe("the connection of a streamed reply", () => {
  it("is used again after [DONE]", async () => {
    const ports: (number | undefined)[] = [];
    backend.behave((response, incoming) => {
      ports.push(incoming.socket.remotePort);
      streaming(...wholeReply)(response, incoming);
    });
    for (let call = 0; call < 6; call += 1) await read(await start());
    // The next call may come before the last byte of the previous response has been read.
    expect(new Set(ports).size).toBeLessThanOrEqual(2);
  });

  it("is used again when the response ends a little after [DONE]", async () => {
    const ports: (number | undefined)[] = [];
    for (let call = 0; call < 5; call += 1) {
      const { promise: ended, resolve } = Promise.withResolvers<void>();
      backend.behave((response, incoming) => {
        ports.push(incoming.socket.remotePort);
        startEvents(response);
        sendEvents(response, ...wholeReply);
        setTimeout(() => response.end(": bye\n\n", () => resolve()), 10);
      });
      await read(await start());
      await ended;
      await sleep(10);
    }
    expect(new Set(ports).size).toBeLessThan(ports.length);
  });

  it("is closed when the server continues after [DONE], and no one waits for that", async () => {
    const responding = nextStream(backend);
    // Longer than a test may take: a caller who waited for the server's silence would not return in time.
    const starting = start({ silenceMilliseconds: 600_000 });
    const response = await responding;
    const closed = once(response, "close");
    sendEvents(response, ...wholeReply);
    expect((await read(await starting)).text).toBe("Oli otya?");
    await closed;
    expect(response.writableEnded).toBe(false);
  });

  it("is closed when the reader leaves", async () => {
    const responding = nextStream(backend);
    const starting = start();
    const response = await responding;
    const closed = once(response, "close");
    sendEvents(response, delta("Oli"));
    for await (const _group of piecesOf(await starting)) break;
    await closed;
    expect(response.writableFinished).toBe(false);
  });

  it("is closed when the request is aborted, also while the server is silent", async () => {
    const responding = nextStream(backend);
    const controller = new AbortController();
    const starting = start({ silenceMilliseconds: 10_000, signal: controller.signal });
    const response = await responding;
    const closed = once(response, "close");
    sendEvents(response, delta("Oli"));
    const reading = read(await starting);
    controller.abort();
    await closed;
    expect((await reading).error).toBeDefined();
  });

  it("may be aborted at the very moment its response ends", async () => {
    backend.behave(streaming(role, finish(), "[DONE]"));
    for (let call = 0; call < 10; call += 1) {
      const controller = new AbortController();
      await expect(start({ signal: controller.signal })).rejects.toMatchObject({ status: 502 });
      controller.abort();
    }
  });

  it("does not carry more than the reader takes", async () => {
    let sent = 0;
    const event = `data: ${delta("x".repeat(10_000))}\n\n`;
    const responding = nextStream(backend);
    const starting = start();
    const response = await responding;
    const sendMore = () => {
      do sent += event.length;
      while (!response.destroyed && response.write(event));
    };
    response.on("drain", sendMore);
    sendMore();
    const stream = await starting;
    let before = -1;
    await vi.waitUntil(
      () => {
        const isAtRest = sent === before;
        before = sent;
        return isAtRest;
      },
      { interval: 200, timeout: 10_000 },
    );
    // What the sockets of both sides hold on this machine.
    expect(sent).toBeLessThan(30_000_000);
    const restedAt = sent;
    let taken = 0;
    for await (const group of piecesOf(stream)) {
      taken += group.length;
      if (sent > restedAt + 5_000_000) break;
    }
    expect(taken).toBeGreaterThan(0);
  });

  it("stays open for longer than the server may be silent, while the server is not", async () => {
    const responding = nextStream(backend);
    const starting = start({ silenceMilliseconds: 1_000 });
    const response = await responding;
    sendEvents(response, delta("Oli"));
    const reading = starting.then(read);
    for (let more = 0; more < 5; more += 1) {
      await sleep(300);
      sendEvents(response, delta("!"));
    }
    sendEvents(response, finish(), "[DONE]");
    response.end();
    expect(await reading).toMatchObject({ text: "Oli!!!!!", error: undefined });
  });

  it("may rest for longer than the server may be silent while the reader is busy", async () => {
    const responding = nextStream(backend);
    const starting = start({ silenceMilliseconds: 100 });
    const response = await responding;
    sendEvents(response, delta("Oli "));
    const groups = piecesOf(await starting)[Symbol.asyncIterator]();
    await groups.next();
    await sleep(300);
    const next = groups.next();
    sendEvents(response, delta("otya?"), finish(), "[DONE]");
    response.end();
    expect((await next).value).toMatchObject([{ text: "otya?" }, { type: "finish" }]);
    expect(await groups.next()).toMatchObject({ value: [] });
    expect((await groups.next()).done).toBe(true);
  });
});
