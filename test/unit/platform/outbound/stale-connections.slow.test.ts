import { once } from "node:events";
import { type AddressInfo, createServer as createPlainServer, type Server, type Socket } from "node:net";
import { createServer as createSecureServer, getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { openTable } from "../../../../infra/sdk-table.ts";
import {
  openModelServer,
  postJson,
  postJsonForWhole,
} from "../../../../shared/models/inference/openai/call-policy.ts";
import { connectionsOpened, openConnection } from "../../../../shared/platform/outbound/connections.ts";
import { readBody, sendRequest } from "../../../../shared/platform/outbound/http-client.ts";
import { multipartForm, sendUpload } from "../../../../shared/platform/outbound/upload.ts";
import { openLightTable } from "../../../../shared/platform/storage/light-table.ts";
import { openBucket } from "../../../../shared/platform/storage/s3-bucket.ts";
import { createS3ObjectStore } from "../../../../shared/platform/storage/s3-object-store.ts";
import { makeCertificate } from "../../../support/certificate.ts";
import { modelServer } from "../../../support/model-servers.ts";
import { readAll } from "../../../support/read-all.ts";

type Behaviour = (socket: Socket) => void;

const body = JSON.stringify({ Item: { PK: { S: "done" } } });
const sized = (text: string, more = "", status = "200 OK"): string =>
  `HTTP/1.1 ${status}\r\n${more}Content-Length: ${text.length}\r\n\r\n${text}`;
const done = sized(body);
const late = sized("", "Connection: close\r\n", "408 Request Timeout");

const saying =
  (text: string): Behaviour =>
  (socket) =>
    void socket.write(text);
const leaving: Behaviour = (socket) => void socket.end();
const resetting: Behaviour = (socket) => void socket.destroy();

let server: Server;
let url: URL;
let sockets: Socket[] = [];
let requests = 0;
/** What the server does with each request, one after the other; the last repeats. */
let behaviours: Behaviour[] = [];

const usual = getCACertificates("default");
const certificate = makeCertificate(["localhost"]);
beforeAll(() => setDefaultCACertificates([...usual, certificate.cert]));
afterAll(() => setDefaultCACertificates(usual));

const accept = (socket: Socket): void => {
  sockets.push(socket);
  socket.on("error", () => undefined);
  let received = "";
  socket.on("data", (bytes) => {
    received += bytes.toString("latin1");
    const length = /\r\ncontent-length: (\d+)\r\n/i.exec(received)?.[1] ?? 0;
    const head = received.indexOf("\r\n\r\n");
    if (head < 0 || received.length < head + 4 + Number(length)) return;
    received = "";
    requests += 1;
    const behaviour = behaviours.length > 1 ? behaviours.shift() : behaviours[0];
    behaviour?.(socket);
  });
};

const start = async (protocol: string): Promise<void> => {
  server =
    protocol === "https"
      ? createSecureServer({ ...certificate, ALPNProtocols: ["http/1.1"] }, accept)
      : createPlainServer(accept);
  server.listen(0, "localhost");
  await once(server, "listening");
  url = new URL(`${protocol}://localhost:${(server.address() as AddressInfo).port}`);
};

beforeEach(() => {
  for (const name of ["AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"]) vi.stubEnv(name, "local");
  sockets = [];
  requests = 0;
  behaviours = [saying(done)];
});
afterEach(async () => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
  vi.restoreAllMocks();
  for (const socket of sockets) socket.destroy();
  server.close();
  await once(server, "close");
});

const unlimited = () => new AbortController().signal;
const aws = () => ({
  region: "eu-west-1",
  credentials: { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "secret" },
  endpoints: { DynamoDB: url.href, SecretsManager: undefined, S3: url.href, SQS: undefined },
});
const model = () =>
  openModelServer([modelServer({ baseUrl: `${url.href}v1`, silenceMilliseconds: 5_000 })], "chat");

/** Everything that calls other servers and may call again, each with the body that it read. */
const clients = {
  "a model, for a whole response": () =>
    model().call(unlimited(), async (call) => {
      const limits = { signal: unlimited(), maxBytes: 1_000 };
      return (await postJsonForWhole(call, "/chat/completions", {}, limits)).body;
    }),
  "a model, for a stream": () =>
    model().call(unlimited(), async (call) =>
      readBody(await postJson(call, "/chat/completions", {}, unlimited()), 1_000),
    ),
  "a model, with an upload": () =>
    model().call(unlimited(), async (call) => {
      const file = { fieldName: "file", fileName: "a.wav", mediaType: "audio/wav" };
      const source = { size: 1_000, read: async (start: number, end: number) => Buffer.alloc(end - start) };
      const upload = {
        url: call.url("/audio/transcriptions"),
        headers: {},
        body: multipartForm([], { ...file, source }),
        stallMilliseconds: 5_000,
        silenceMilliseconds: 5_000,
        signal: unlimited(),
      };
      return (await call.send((onSent) => sendUpload({ ...upload, onSent }), unlimited())).body;
    }),
  DynamoDB: async () => {
    const { PK } = (await openLightTable("table", aws()).read({ Key: { PK: "a", SK: "b" } })) ?? {};
    return JSON.stringify({ Item: { PK: { S: PK } } });
  },
  "DynamoDB, with the SDK": async () => {
    vi.stubEnv("AWS_ENDPOINT_URL_DYNAMODB", url.origin);
    const { PK } = (await openTable("table").read({ Key: { PK: "a", SK: "b" } })) ?? {};
    return JSON.stringify({ Item: { PK: { S: PK } } });
  },
  S3: async () => {
    const store = createS3ObjectStore(openBucket("bucket", aws()));
    return Buffer.concat(await readAll(store.stream("key", { signal: unlimited() }))).toString();
  },
};

/** Until the client has closed it, too. */
const firstClosed = () => vi.waitFor(() => expect(sockets[0]?.closed).toBe(true), { timeout: 3_000 });

/** The clock that counts while an environment is frozen. The other one stops. */
const freeze = (milliseconds: number): void => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + milliseconds });
};

const cases = ["http", "https"].flatMap((protocol) =>
  Object.entries(clients).map(([client, ask]) => ({ protocol, client, ask })),
);

describe.each(cases)("over $protocol to $client, a connection", ({ protocol, ask }) => {
  beforeEach(() => start(protocol));

  const openAhead = async (): Promise<void> => {
    openConnection(url);
    await connectionsOpened();
    await vi.waitFor(() => expect(sockets).toHaveLength(1));
  };
  /** Leaves as many connections as there are calls. */
  const useAtOnce = async (count: number): Promise<void> => {
    const held: Socket[] = [];
    behaviours = [
      (socket) => {
        held.push(socket);
        if (held.length === count) for (const one of held) one.write(done);
      },
    ];
    await Promise.all(Array.from({ length: count }, ask));
    expect(sockets).toHaveLength(count);
    behaviours = [saying(done)];
    requests = 0;
  };

  it("that was opened ahead carries the first request", async () => {
    await openAhead();
    expect(await ask()).toBe(body);
    expect(sockets).toHaveLength(1);
  });

  it.each([
    ["a 408", late],
    ["a response", sized("{}")],
    ["anything else", "x"],
  ])("that was opened ahead and has received %s is closed", async (_, text) => {
    await openAhead();
    sockets[0]?.write(text);
    await firstClosed();
    expect(await ask()).toBe(body);
    expect(requests).toBe(1);
    expect(sockets).toHaveLength(2);
  });

  it("that was opened four seconds ahead is closed", async () => {
    await openAhead();
    freeze(4_000);
    expect(await ask()).toBe(body);
    expect(sockets).toHaveLength(2);
    await firstClosed();
  });

  it.each([
    ["closes", leaving],
    ["resets", resetting],
    ["reports as idle for too long", (socket: Socket) => void socket.end(late)],
  ])("that the server %s between two requests is replaced", async (_, act) => {
    await useAtOnce(1);
    if (sockets[0]) act(sockets[0]);
    await firstClosed();
    expect(await ask()).toBe(body);
    expect({ requests, connections: sockets.length }).toEqual({ requests: 1, connections: 2 });
  });

  it.each([
    ["closes", leaving],
    ["resets", resetting],
    ["reports as idle for too long", (socket: Socket) => void socket.end(late)],
    ["reports as idle for too long and leaves open", saying(sized("", "", "408 Request Timeout"))],
  ])(
    "that the server %s at the moment of a request is replaced, and none of the same age is tried",
    async (_, act) => {
      await useAtOnce(3);
      behaviours = [act, saying(done)];
      expect(await ask()).toBe(body);
      expect({ requests, connections: sockets.length }).toEqual({ requests: 2, connections: 4 });
    },
  );

  it.each([
    ["at once", (socket: Socket) => void socket.write(done + sized("of another"))],
    [
      "later",
      (socket: Socket) =>
        void socket.write(done, () => setTimeout(() => socket.write(sized("of another")), 5)),
    ],
  ])("with a second response behind the first, %s, is closed", async (_, respond) => {
    behaviours = [respond, saying(done)];
    expect(await ask()).toBe(body);
    await firstClosed();
    expect(await ask()).toBe(body);
    expect(sockets).toHaveLength(2);
  });

  it("that was frozen for half an hour with its environment is closed", async () => {
    await useAtOnce(1);
    freeze(30 * 60_000);
    expect(await ask()).toBe(body);
    expect(sockets).toHaveLength(2);
  });

  it("ages as well while the time of day is set back", async () => {
    await useAtOnce(1);
    const elapsed = performance.now() + 30 * 60_000;
    freeze(-3_600_000);
    vi.spyOn(performance, "now").mockReturnValue(elapsed);
    expect(await ask()).toBe(body);
    expect(sockets).toHaveLength(2);
  });

  it("stays open when a call ends by its caller's will", async () => {
    await useAtOnce(2);
    behaviours = [() => undefined];
    const leaving = new AbortController();
    const waiting = sendRequest({
      url,
      method: "GET",
      headers: {},
      signal: leaving.signal,
      silenceMilliseconds: undefined,
    });
    await vi.waitFor(() => expect(requests).toBe(1));
    leaving.abort(new Error("left"));
    await expect(waiting).rejects.toThrow("left");
    behaviours = [saying(done)];
    await ask();
    expect(sockets).toHaveLength(2);
  });

  it("waits for as long as its server says, less a second", async () => {
    behaviours = [saying(sized(body, "Keep-Alive: timeout=30\r\n"))];
    await ask();
    freeze(28_000);
    await ask();
    expect(sockets).toHaveLength(1);
    freeze(29_000);
    await ask();
    expect(sockets).toHaveLength(2);
  });
});

describe.each(["http", "https"])("over %s, a request that may not be repeated", (protocol) => {
  beforeEach(() => start(protocol));

  const send = (method: "GET" | "POST") =>
    sendRequest({ url, method, headers: {}, body: "", signal: unlimited(), silenceMilliseconds: 5_000 });

  it("reports that its outcome is unknown when its connection closes", async () => {
    await readBody(await send("POST"), 1_000);
    behaviours = [leaving, saying(done)];
    await expect(send("POST")).rejects.toThrow(
      "The connection closed before a response; whether the request was executed is unknown.",
    );
    expect(requests).toBe(2);
  });

  it("is unlike one that only reads, which is sent once more", async () => {
    await readBody(await send("GET"), 1_000);
    behaviours = [leaving, saying(late), saying(done)];
    expect((await send("GET")).statusCode).toBe(408);
    expect((await send("GET")).statusCode).toBe(200);
    expect(requests).toBe(4);
  });
});
