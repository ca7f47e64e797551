import { describe, it, type TestContext } from "vitest";
import {
  type Behaviour,
  type FakeBackend,
  hanging,
  resetting,
  responding,
  startFakeBackend,
} from "../support/fake-backend.ts";
import { modelServer } from "../support/model-servers.ts";
import { everyTask, type ModelTaskRequest, type TaskName, tasks } from "../support/model-tasks.ts";
import { authorizedCaller, send } from "../support/send.ts";
import { dripping, endless, silentAfterHeaders } from "../support/slow-responses.ts";
import { wavHeaderBytes } from "../support/wav.ts";

/** Longer than the pause before a second try. */
const defaultSilenceMilliseconds = 700;

/** What a test may take that a server could let hang: far below the time that the function has. */
const notForEver = { timeout: 5_000 };

const unavailable = (retryAfter: string) =>
  ({ status: 503, code: "service_unavailable", retryAfter }) as const;
const badGateway = { status: 502, code: "external_service_error", retryAfter: undefined } as const;

interface Fault {
  readonly server: string;
  /** `undefined`: there is no server. */
  readonly behaviour: Behaviour | undefined;
  readonly expected: ReturnType<typeof unavailable> | typeof badGateway;
  readonly tasks?: readonly TaskName[];
  readonly silenceMilliseconds?: number;
}

const wholeReplies: readonly TaskName[] = ["translation", "chat", "transcription"];

const faults: readonly Fault[] = [
  { server: "is not there", behaviour: undefined, expected: unavailable("10") },
  { server: "breaks connections", behaviour: resetting, expected: unavailable("10") },
  { server: "says nothing", behaviour: hanging, expected: unavailable("30") },
  { server: "says nothing after its headers", behaviour: silentAfterHeaders, expected: unavailable("30") },
  {
    server: "drips its answer",
    behaviour: dripping("application/json", () => Buffer.alloc(10_000, " ")),
    expected: unavailable("30"),
    tasks: wholeReplies,
  },
  { server: "answers 400", behaviour: responding(400, { detail: "no" }), expected: badGateway },
  { server: "answers 401", behaviour: responding(401, { detail: "no" }), expected: badGateway },
  { server: "answers 404", behaviour: responding(404, "<h1>Not found</h1>"), expected: badGateway },
  { server: "is busy", behaviour: responding(429, { detail: "slow down" }), expected: unavailable("5") },
  { server: "answers 500", behaviour: responding(500, { detail: "no" }), expected: badGateway },
  { server: "answers 502", behaviour: responding(502, "no"), expected: unavailable("30") },
  { server: "answers 503", behaviour: responding(503, "no"), expected: unavailable("30") },
  { server: "answers 504", behaviour: responding(504, "no"), expected: unavailable("30") },
  {
    server: "is loading, with status 200",
    behaviour: responding(200, { error: { message: "Loading model" } }),
    expected: unavailable("30"),
  },
  {
    server: "reports an error with status 200",
    behaviour: responding(200, { error: { message: "CUDA error" } }),
    expected: badGateway,
  },
  {
    server: "answers with a page",
    behaviour: responding(200, "<html><h1>Welcome</h1></html>"),
    expected: badGateway,
  },
  {
    server: "answers with half a JSON",
    behaviour: responding(200, '{"choices": [{"mess', { "Content-Type": "application/json" }),
    expected: badGateway,
  },
  { server: "answers with an empty body", behaviour: responding(200, ""), expected: badGateway },
  {
    server: "answers without end",
    behaviour: endless("application/json"),
    expected: badGateway,
    // A busy machine may need long for the megabytes after which it is enough.
    silenceMilliseconds: 4_000,
  },
];

const cases = faults.flatMap(({ server, tasks: concerned = everyTask, ...fault }) =>
  concerned.map((task) => ({ server, task, ...fault })),
);

/** A model server with this behaviour; without one, a closed address. */
const startBackend = async (behaviour: Behaviour | undefined, { onTestFinished }: TestContext) => {
  const backend = await startFakeBackend();
  if (behaviour) {
    backend.behave(behaviour);
    onTestFinished(() => backend.close());
  } else {
    await backend.close();
  }
  return backend;
};

/** Sends the task's request through the service, in front of the server. */
const ask = async (
  name: TaskName,
  { baseUrl }: FakeBackend,
  {
    silenceMilliseconds = defaultSilenceMilliseconds,
    ...options
  }: {
    readonly silenceMilliseconds?: number;
    readonly remainingMilliseconds?: number;
    readonly headers?: Record<string, string>;
  } = {},
) => {
  const task: ModelTaskRequest = tasks[name];
  const { headers, ...request } = await task.request();
  const endpoints = task.endpoints([
    modelServer({ baseUrl, apiKey: async () => "the-key", silenceMilliseconds }),
  ]);
  return send(endpoints, {
    remainingMilliseconds: 60_000,
    ...options,
    ...request,
    headers: { ...headers, ...options.headers },
    authorizer: authorizedCaller,
  });
};

describe("when a model's server", () => {
  it.concurrent.for(cases)(
    "$server, $task returns $expected.status in time",
    notForEver,
    async ({ task, behaviour, expected, silenceMilliseconds = defaultSilenceMilliseconds }, context) => {
      const { expect } = context;
      const backend = await startBackend(behaviour, context);
      const { status, headers, body } = await ask(task, backend, { silenceMilliseconds });
      expect({ status, code: body.error?.code, retryAfter: headers["Retry-After"] }).toEqual(expected);
      expect(body.request_id).toBe(headers["X-Request-Id"]);
    },
  );
});

describe("a timeout during the pause before a second attempt", () => {
  it.concurrent.for(["translation", "chat"] as const)("of %s is reported as one", async (task, context) => {
    const { expect } = context;
    const backend = await startBackend(resetting, context);
    const { status, headers } = await ask(task, backend, { silenceMilliseconds: 100 });
    expect({ status, retryAfter: headers["Retry-After"] }).toEqual({ status: 503, retryAfter: "30" });
    expect(backend.received).toHaveLength(1);
  });
});

describe("the time of a function", () => {
  it.concurrent.for([
    ["speech", dripping("audio/wav", () => wavHeaderBytes(0, { comment: "a".repeat(10_000) }))],
    ["streamed chat", dripping("text/event-stream", () => Buffer.alloc(10_000, ":"))],
  ] as const)(
    "bounds the wait for %s from a server that drips its response",
    notForEver,
    async ([task, behaviour], context) => {
      const { expect } = context;
      const backend = await startBackend(behaviour, context);
      const { status, headers, body } = await ask(task, backend, { remainingMilliseconds: 2_500 });
      expect(status).toBe(503);
      expect(body.error.code).toBe("service_unavailable");
      expect(Number(headers["Retry-After"])).toBeGreaterThan(0);
    },
  );

  it.concurrent.for(everyTask)("is not used for %s when too little of it remains", async (task, context) => {
    const { expect } = context;
    const backend = await startBackend(responding(200, "never asked"), context);
    const { status, headers, body } = await ask(task, backend, { remainingMilliseconds: 1_900 });
    expect(status).toBe(503);
    expect(body.error.code).toBe("service_unavailable");
    expect(headers["Retry-After"]).toBe("5");
    expect(backend.received).toEqual([]);
  });
});

describe("the trace of a request", () => {
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

  it.concurrent.for(everyTask)("is passed on to the model server of %s", async (task, context) => {
    const { expect } = context;
    const backend = await startBackend(responding(500, "no"), context);
    await ask(task, backend, { headers: { TraceParent: traceparent } });
    expect(backend.received.map(({ headers }) => headers["traceparent"])).toEqual([
      expect.stringMatching(/^00-0af7651916cd43dd8448eb211c80319c-(?!b7ad6b7169203331)[0-9a-f]{16}-01$/),
    ]);
  });

  it.concurrent.for([
    "",
    "00-00000000000000000000000000000000-b7ad6b7169203331-01",
    "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
    "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    `${traceparent}\r\nAuthorization: Bearer stolen`,
    traceparent.toUpperCase(),
  ])("goes no further when it is not one: %j", async (header, context) => {
    const { expect } = context;
    const backend = await startBackend(responding(500, "no"), context);
    await ask("translation", backend, { headers: { traceparent: header } });
    expect(backend.received.map(({ headers }) => headers["traceparent"])).toEqual([undefined]);
  });
});
