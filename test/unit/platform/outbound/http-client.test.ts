import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  BackendTimeout,
  BackendUnreachable,
  connectionFailure,
} from "../../../../shared/platform/outbound/failures.ts";
import {
  readBody,
  readBytes,
  readPieces,
  sendRequest,
} from "../../../../shared/platform/outbound/http-client.ts";
import {
  type FakeBackend,
  hanging,
  resetting,
  responding,
  startFakeBackend,
} from "../../../support/fake-backend.ts";

let server: FakeBackend;
beforeEach(async () => {
  server = await startFakeBackend();
});
afterEach(async () => {
  await server.close();
});

const send = (changes: Partial<Parameters<typeof sendRequest>[0]> = {}) =>
  sendRequest({
    url: new URL(`${server.baseUrl}/here?x=1`),
    method: "POST",
    headers: { "X-Example": "1" },
    body: "é",
    silenceMilliseconds: 5_000,
    signal: new AbortController().signal,
    ...changes,
  });

describe("a request to another server", () => {
  it("carries its method, address, headers and body, whose length counts bytes", async () => {
    server.behave(responding(201, "done"));
    const response = await send();
    expect(response.statusCode).toBe(201);
    expect(await readBody(response, 100)).toBe("done");
    expect(server.received).toMatchObject([
      { path: "/v1/here?x=1", body: "é", headers: { "x-example": "1", "content-length": "2" } },
    ]);
  });

  it("names the server it is for, and carries what its address says of who asks unless a header says so", async () => {
    const { host } = new URL(server.baseUrl);
    const url = new URL(`http://somebody:p%40ss@${host}/v1`);
    await readBody(await send({ url }), 10_000);
    await readBody(await send({ url, headers: { authorization: "Bearer key" } }), 10_000);
    expect(server.received.map(({ headers }) => [headers["host"], headers["authorization"]])).toEqual([
      [host, `Basic ${btoa("somebody:p@ss")}`],
      [host, "Bearer key"],
    ]);
  });

  it("without a body says so where the method may have one", async () => {
    await readBody(await send({ body: undefined }), 10_000);
    await readBody(await send({ method: "DELETE", body: undefined }), 10_000);
    expect(server.received.map(({ headers }) => headers["content-length"])).toEqual(["0", undefined]);
    expect(server.received.map(({ headers }) => headers["transfer-encoding"])).toEqual([
      undefined,
      undefined,
    ]);
  });

  it("to an unreachable server was never sent", async () => {
    const onSent = vi.fn();
    const { baseUrl } = server;
    await server.close();
    const sending = send({ url: new URL(baseUrl), onSent });
    await expect(sending).rejects.toBeInstanceOf(BackendUnreachable);
    expect(onSent).not.toHaveBeenCalled();
    server = await startFakeBackend();
  });

  it("whose connection breaks has left, and has failed", async () => {
    const onSent = vi.fn();
    server.behave(resetting);
    await expect(send({ onSent })).rejects.toBeInstanceOf(BackendUnreachable);
    expect(onSent).toHaveBeenCalledOnce();
  });

  it("fails at once when the server switches to another protocol", async () => {
    const refusing = createServer();
    refusing.on("connection", (socket) => {
      socket.on("error", () => undefined);
      socket.once("data", () => {
        socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
      });
    });
    await new Promise<void>((resolve) => refusing.listen(0, "127.0.0.1", resolve));
    try {
      const { port } = refusing.address() as AddressInfo;
      await expect(send({ url: new URL(`http://127.0.0.1:${port}/`) })).rejects.toMatchObject({
        name: "BackendRefusal",
        status: 101,
      });
    } finally {
      refusing.closeAllConnections();
      refusing.close();
    }
  });

  it("is given up when the server sends nothing but informational responses", async () => {
    const talking = createServer();
    let timer: NodeJS.Timeout | undefined;
    talking.on("connection", (socket) => {
      socket.on("error", () => undefined);
      timer = setInterval(() => socket.write("HTTP/1.1 102 Processing\r\n\r\n"), 10);
    });
    await new Promise<void>((resolve) => talking.listen(0, "127.0.0.1", resolve));
    try {
      const { port } = talking.address() as AddressInfo;
      const url = new URL(`http://127.0.0.1:${port}/`);
      await expect(send({ url, silenceMilliseconds: 100 })).rejects.toMatchObject({ name: "BackendTimeout" });
    } finally {
      clearInterval(timer);
      talking.closeAllConnections();
      talking.close();
    }
  });

  it("is given up when the server is silent for too long", async () => {
    server.behave(hanging);
    await expect(send({ silenceMilliseconds: 50 })).rejects.toMatchObject({
      name: "BackendTimeout",
      message: "The server was silent for 50 ms.",
    });
  });

  it("ends with its signal and the signal's reason, and does not start after it", async () => {
    server.behave(hanging);
    const leaving = new AbortController();
    const sending = send({ signal: leaving.signal });
    await vi.waitFor(() => expect(server.received).toHaveLength(1));
    leaving.abort(new Error("left"));
    await expect(sending).rejects.toThrow("left");
    await expect(send({ signal: leaving.signal })).rejects.toThrow("left");
    expect(server.received).toHaveLength(1);
  });

  it("leaves nothing behind on a signal that outlives it", async () => {
    const { signal } = new AbortController();
    const remove = vi.spyOn(signal, "removeEventListener");
    await readBody(await send({ signal }), 10_000);
    await vi.waitFor(() => expect(remove).toHaveBeenCalledWith("abort", expect.any(Function)));
  });

  it("follows no redirect", async () => {
    server.behave(responding(302, "", { Location: "/elsewhere" }));
    const response = await send();
    expect(response.statusCode).toBe(302);
    response.resume();
    expect(server.received).toHaveLength(1);
  });
});

describe("the body of a response", () => {
  it("may be as long as it is allowed to be, and no longer", async () => {
    server.behave(responding(200, "four"));
    expect(await readBytes(await send(), 4)).toEqual(Buffer.from("four"));
    await expect(readBytes(await send(), 3)).rejects.toBeInstanceOf(RangeError);
  });

  it("that breaks off is a failure of the connection", async () => {
    server.behave((response) => {
      response.writeHead(200, { "Content-Length": "100" });
      response.write("begun");
      setImmediate(() => response.destroy());
    });
    await expect(readBytes(await send(), 1_000)).rejects.toBeInstanceOf(BackendUnreachable);
  });

  /** The pieces of the response of the test's own server. */
  const piecesFrom = async (respond: RequestListener, silenceMilliseconds: number) => {
    const own = createServer(respond);
    own.listen(0, "127.0.0.1");
    await once(own, "listening");
    const { port } = own.address() as AddressInfo;
    const response = await send({ url: new URL(`http://127.0.0.1:${port}`) });
    const close = () => {
      own.closeAllConnections();
      own.close();
    };
    return { pieces: readPieces(response, silenceMilliseconds), response, close };
  };

  it("is given up in the middle when the server falls silent", async () => {
    const { pieces, close } = await piecesFrom((_request, response) => void response.write("begun"), 50);
    expect((await pieces.next()).value).toEqual(Buffer.from("begun"));
    await expect(pieces.next()).rejects.toBeInstanceOf(BackendTimeout);
    close();
  });

  it("closes its connection when its reader leaves", async () => {
    const { pieces, response, close } = await piecesFrom(
      (_request, respond) => void respond.write("begun"),
      5_000,
    );
    await pieces.next();
    await pieces.return();
    await vi.waitFor(() => expect(response.destroyed).toBe(true));
    close();
  });
});

describe("a failed connection", () => {
  it("is a timeout when it was one, and otherwise unreachable", () => {
    const timeout = new BackendTimeout("silent");
    expect(connectionFailure(timeout)).toBe(timeout);
    const signal = new DOMException("late", "TimeoutError");
    expect(connectionFailure(signal)).toBe(signal);
    const cause = new Error("reset");
    expect(connectionFailure(cause)).toMatchObject({ name: "BackendUnreachable", cause });
    expect(connectionFailure(undefined)).toBeInstanceOf(BackendUnreachable);
  });
});
