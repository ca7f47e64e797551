import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { limitsEnvironment } from "../../../../shared/platform/config/environment.ts";
import { readVariables } from "../../../../shared/platform/config/variables.ts";
import { connectionsOpened, openConnection } from "../../../../shared/platform/outbound/connections.ts";
import { readBody, sendRequest } from "../../../../shared/platform/outbound/http-client.ts";
import {
  chatModelsFrom,
  findBearerFrom,
  limiterFrom,
  translatorFrom,
} from "../../../../shared/wiring/from-environment.ts";
import { limitsText } from "../../../support/limits-text.ts";

let server: Server;
let url: URL;
const sockets = new Set<Socket>();
const requested: (string | undefined)[] = [];
beforeEach(async () => {
  sockets.clear();
  requested.length = 0;
  server = createServer((request, response) => {
    requested.push(request.url);
    response.end("done");
  });
  server.on("connection", (socket) => sockets.add(socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const ask = async (path = "/"): Promise<string> => {
  const response = await sendRequest({
    url: new URL(path, url),
    method: "GET",
    headers: {},
    signal: new AbortController().signal,
    silenceMilliseconds: 5_000,
  });
  return readBody(response, 100);
};

/** The variables of functions whose table and models are the server of the test. */
const environment = () => ({
  AWS_REGION: "eu-west-1",
  AWS_ACCESS_KEY_ID: "AKIDEXAMPLE",
  AWS_SECRET_ACCESS_KEY: "secret",
  AWS_ENDPOINT_URL: "http://127.0.0.1:9",
  AWS_ENDPOINT_URL_DYNAMODB: url.href,
  TABLE_NAME: "table",
  TOKEN_SECRET_ID: "tokens",
  INFERENCE_KEYS_SECRET_ID: "keys",
  CHAT_BASE_URL: url.href,
  CHAT_MODELS: [{ name: "14b" }, { name: "9b" }],
  CHAT_TIMEOUT_MS: 1_000,
  TRANSLATION_BASE_URL: url.href,
  TRANSLATION_MODEL: "translator",
  TRANSLATION_TIMEOUT_MS: 1_000,
  ...readVariables(limitsEnvironment, { LIMITS: limitsText }),
});

describe("a connection that is opened ahead", () => {
  it("carries the first request and those that follow, and sends nothing until then", async () => {
    openConnection(url);
    openConnection(url);
    await connectionsOpened();
    await vi.waitFor(() => expect(sockets.size).toBe(1));
    expect(requested).toEqual([]);
    expect(await ask("/one")).toBe("done");
    expect(await ask("/two")).toBe("done");
    expect(requested).toEqual(["/one", "/two"]);
    expect(sockets.size).toBe(1);
  });

  it("may still be on its way when it is needed", async () => {
    openConnection(url);
    expect(await ask()).toBe("done");
    expect(sockets.size).toBe(1);
  });

  it("that fails costs nothing: no request waits for it, and each opens its own", async () => {
    const { port } = url;
    server.closeAllConnections();
    server.close();
    await once(server, "close");
    openConnection(url);
    await connectionsOpened();
    server.listen(Number(port), "127.0.0.1");
    await once(server, "listening");
    expect(await ask()).toBe("done");
    expect(sockets.size).toBe(1);
  });
});

describe("a start", () => {
  it("does not wait long for a connection that does not come about", async () => {
    const held: Socket[] = [];
    const silent = createTcpServer((socket) => held.push(socket));
    silent.listen(0, "127.0.0.1");
    await once(silent, "listening");
    vi.useFakeTimers();
    try {
      openConnection(new URL(`https://127.0.0.1:${(silent.address() as AddressInfo).port}/`));
      const isOver = vi.fn();
      void connectionsOpened().then(isOver);
      await vi.advanceTimersByTimeAsync(999);
      expect(isOver).not.toHaveBeenCalled();
      await vi.advanceTimersByTimeAsync(1);
      expect(isOver).toHaveBeenCalledOnce();
    } finally {
      vi.useRealTimers();
    }
    silent.close();
    for (const socket of held) socket.destroy();
    await connectionsOpened();
  });

  it.each([
    ["that counts requests", () => limiterFrom(environment())],
    ["that looks for whose a token is", () => findBearerFrom(environment(), "upload")],
    ["with chat models", () => chatModelsFrom(environment())],
    ["with a translator", () => translatorFrom(environment())],
  ])("of a function %s opens the connection that its first request needs", async (_name, open) => {
    open();
    await connectionsOpened();
    await vi.waitFor(() => expect(sockets.size).toBe(1));
    expect(requested).toEqual([]);
  });
});
