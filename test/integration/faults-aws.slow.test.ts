import { afterAll, beforeAll, describe, it, type TestContext, vi } from "vitest";
import { speechEndpoints } from "../../functions/speech/endpoints.ts";
import { transcriptionEndpoints } from "../../functions/transcription/endpoints.ts";
import { translateEndpoints } from "../../functions/translate/endpoints.ts";
import { uploadEndpoints } from "../../functions/upload/endpoints.ts";
import { makeApiKey } from "../../shared/accounts/access/api-keys.ts";
import { readBearer } from "../../shared/accounts/access/verify-bearer.ts";
import { createLimitCounters, createLimiter } from "../../shared/accounts/limits/limiter.ts";
import { openMailQueue } from "../../shared/accounts/mail/mail-queue.ts";
import { encodeAudio } from "../../shared/audio/encode/encode-audio.ts";
import {
  createIdempotencyStore,
  type IdempotencyOptions,
} from "../../shared/http/idempotency/idempotency-store.ts";
import { readAwsConfig } from "../../shared/platform/config/environment.ts";
import { createUploadsRepository } from "../../shared/recordings/uploads/uploads-repository.ts";
import { accountsOver, unsignedTokens } from "../support/accounts-over.ts";
import { type Behaviour, hanging, resetting, responding, startFakeBackend } from "../support/fake-backend.ts";
import { speechOf } from "../support/fake-speech.ts";
import { linkedStoreAt, requestTableAt, storeWithoutCredentials, tableAt } from "../support/faulty-aws.ts";
import { encodeForm } from "../support/multipart.ts";
import { authorizedCaller, send } from "../support/send.ts";
import { startTestTable, type TestTable } from "../support/test-table.ts";
import { uncountedCharacters } from "../support/uncounted-characters.ts";
import { unsureDetector } from "../support/unsure-detector.ts";

const timeoutMilliseconds = 15_000;
const bearer = { Authorization: "Bearer a-token" };
const registration = {
  path: "/auth/register",
  body: { username: "amina", email: "amina@example.com", password: "seven storks by the lake" },
};
const translation = {
  path: "/tasks/translate",
  body: { source_language: "eng", target_language: "lug", text: "How are you?" },
};

let intact: TestTable;
beforeAll(async () => {
  vi.stubEnv("AWS_REGION", "eu-west-1");
  vi.stubEnv("AWS_ACCESS_KEY_ID", "local");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "local");
  intact = await startTestTable();
});
afterAll(async () => {
  await intact.close();
  vi.unstubAllEnvs();
});

/** Starts a server in place of an AWS service; without a behaviour, its address is closed. */
const startAws = async (
  { onTestFinished }: TestContext,
  ...behaviours: readonly (Behaviour | undefined)[]
) => {
  const server = await startFakeBackend();
  const known = behaviours.filter((behaviour) => behaviour !== undefined);
  if (known.length === 0) await server.close();
  else {
    server.behave(...known);
    onTestFinished(() => server.close());
  }
  return server.baseUrl;
};

const translator = { translate: async () => ({ text: "Oli otya?", usage: undefined }) };
const awsError = (status: number, type: string) => responding(status, { __type: type, message: "no" });

const throttled = awsError(400, "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException");

const faults = [
  ["is throttled", throttled],
  ["answers 500", awsError(500, "InternalServerError")],
  ["answers 503", responding(503, "<html>no</html>")],
  ["breaks connections", resetting],
  ["is not there", undefined],
  ["says nothing", hanging],
] as const satisfies readonly (readonly [string, Behaviour | undefined])[];

/** Requests that need the table. */
const requests = {
  "a registration": (address: string) => send(accountsOver(tableAt(address)), registration),
  "a login": (address: string) =>
    send(accountsOver(tableAt(address)), {
      path: "/auth/token",
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
      body: "username=amina&password=seven+storks",
    }),
  "a look at the own account": (address: string) =>
    send(accountsOver(tableAt(address)), { method: "GET", path: "/auth/me", authorizer: authorizedCaller }),
  "the making of a key": (address: string) =>
    send(accountsOver(tableAt(address)), {
      path: "/auth/keys",
      body: { name: "a program" },
      authorizer: authorizedCaller,
    }),
  "the list of keys": (address: string) =>
    send(accountsOver(tableAt(address)), {
      method: "GET",
      path: "/auth/keys",
      authorizer: authorizedCaller,
    }),
  "the revocation of a key": (address: string) =>
    send(accountsOver(tableAt(address)), {
      method: "DELETE",
      path: "/auth/keys/{id}",
      pathParameters: { id: "k3f0a2c1e9b7d" },
      authorizer: authorizedCaller,
    }),
  "the revocation of all keys": (address: string) =>
    send(accountsOver(tableAt(address)), {
      method: "DELETE",
      path: "/auth/keys",
      authorizer: authorizedCaller,
    }),
  "a key that the function checks, and the count of its request": (address: string) =>
    send(
      translateEndpoints({ characters: uncountedCharacters, sourceDetector: unsureDetector, translator }),
      { ...translation, headers: { Authorization: `Bearer ${makeApiKey(7).key}` } },
      {
        verifyBearer: readBearer(() => unsignedTokens.verify()),
        limiter: createLimiter(createLimitCounters(requestTableAt(address))),
      },
    ),
  "a token that the function checks, and the count of its request": (address: string) =>
    send(
      translateEndpoints({ characters: uncountedCharacters, sourceDetector: unsureDetector, translator }),
      { ...translation, headers: bearer },
      {
        verifyBearer: () => unsignedTokens.verify(),
        limiter: createLimiter(createLimitCounters(requestTableAt(address))),
      },
    ),
} as const;

// Each call to the table has a time of its own; nothing below may take as long as the function has.
describe.concurrent("when the table", { timeout: timeoutMilliseconds }, () => {
  const cases = faults.flatMap(([fault, behaviour]) =>
    Object.entries(requests)
      // Three attempts wait for silence: one test is enough.
      .filter(([request]) => behaviour !== hanging || request === "a registration")
      .map(([request, ask]) => ({ fault, behaviour, request, ask })),
  );

  it.for(cases)("$fault, $request returns 503", async (each, context) => {
    const { expect } = context;
    const address = await startAws(context, each.behaviour);
    const { status, headers, body } = await each.ask(address);
    expect({ status, retryAfter: Number(headers["Retry-After"]) > 0 }).toEqual({
      status: 503,
      retryAfter: true,
    });
    expect(body.error.code ?? body.error).toBe(
      each.request === "a login" ? "temporarily_unavailable" : "service_unavailable",
    );
  });

  it.for(faults)(
    "%s, the first requests without a token are served uncounted",
    async ([, behaviour], context) => {
      const { expect } = context;
      const limiter = createLimiter(createLimitCounters(requestTableAt(await startAws(context, behaviour))));
      const { status, headers } = await send(
        uploadEndpoints({
          findBearer: async () => undefined,
          uploads: createUploadsRepository(intact.openForRequests()),
          store: { signUpload: async () => ({ url: "https://storage.example.com", expiresAt: new Date() }) },
        }),
        { path: "/tasks/generate-upload-url", body: { file_name: "a.wav", content_type: "audio/wav" } },
        { limiter },
      );
      expect(status).toBe(200);
      expect(headers["X-Request-Id"]).toBeDefined();
    },
  );

  const item = {
    account_type: { S: "Free" },
    disabled: { BOOL: false },
    token_epoch: { N: "0" },
    email_verified: { BOOL: true },
  };

  it.for<[string, object | undefined, number]>([
    ["is not executed uncounted", item, 503],
    [
      "is refused when its token was revoked",
      { ...item, revoked: { M: { "3f0a2c1e-token": { N: "0" } } } },
      401,
    ],
    ["is refused when its token has an old epoch", { ...item, token_epoch: { N: "1" } }, 401],
    ["is refused when its account is disabled", { ...item, disabled: { BOOL: true } }, 403],
    ["is refused when its account is gone", undefined, 401],
  ])("cannot be written and can be read, a request %s", async ([, Item, expected], context) => {
    const { expect } = context;
    const found = responding(200, Item ? { Item } : {});
    const address = await startAws(context, throttled, throttled, throttled, found);
    const limiter = createLimiter(createLimitCounters(requestTableAt(address)));
    const request = { ...translation, authorizer: authorizedCaller };
    const { status } = await send(
      translateEndpoints({ characters: uncountedCharacters, sourceDetector: unsureDetector, translator }),
      request,
      { limiter },
    );
    expect(status).toBe(expected);
  });

  it("is throttled when a token is refreshed, the old token is not called invalid", async (context) => {
    const { expect } = context;
    const { status } = await send(accountsOver(tableAt(await startAws(context, throttled))), {
      path: "/auth/refresh-token",
      authorizer: authorizedCaller,
    });
    expect(status).toBe(503);
  });
});

/** The service's own queue, whose silence is noticed soon. */
const mailQueueAt = (address: string) =>
  openMailQueue(`${address}/mail.fifo`, readAwsConfig({ AWS_ENDPOINT_URL: address }), 200);

describe.concurrent("when the mail queue", () => {
  it.for(faults)("%s, an account is registered anyway", async ([fault, behaviour], context) => {
    const { expect } = context;
    const name = `user-${faults.findIndex(([other]) => other === fault)}`;
    const queue = mailQueueAt(await startAws(context, behaviour));
    const { status, body } = await send(accountsOver(intact.open(), queue), {
      ...registration,
      body: { ...registration.body, username: name, email: `${name}@example.com` },
      remainingMilliseconds: timeoutMilliseconds,
    });
    expect({ status, username: body.username }).toEqual({ status: 201, username: name });
  });

  it.for(faults)("%s, no mail is promised", async ([, behaviour], context) => {
    const { expect } = context;
    const queue = mailQueueAt(await startAws(context, behaviour));
    const { status, headers, body } = await send(accountsOver(intact.open(), queue), {
      path: "/auth/forgot-password",
      body: { email: "amina@example.com" },
      remainingMilliseconds: timeoutMilliseconds,
    });
    expect({ status, code: body.error.code }).toEqual({ status: 503, code: "service_unavailable" });
    expect(Number(headers["Retry-After"])).toBeGreaterThan(0);
  });
});

/** A request with an `Idempotency-Key`, on a store of responses. */
const idempotentTranslation = {
  ...translation,
  authorizer: authorizedCaller,
  headers: { "Idempotency-Key": "one" },
};
const noStore: IdempotencyOptions["store"] = {
  put: () => Promise.reject(new Error("The store is not needed.")),
  delete: () => Promise.reject(new Error("The store is not needed.")),
  stream: () => {
    throw new Error("The store is not needed.");
  },
};
const counting = (text = "Oli otya?") => {
  const requested: string[] = [];
  const translate = async ({ text: asking }: { readonly text: string }) => {
    requested.push(asking);
    return { text, usage: undefined };
  };
  return {
    requested,
    endpoints: translateEndpoints({
      characters: uncountedCharacters,
      sourceDetector: unsureDetector,
      translator: { translate },
    }),
  };
};
/** DynamoDB's response to the owner of the lock. */
const lockTaken = responding(200, {
  Attributes: { fingerprint: { S: "f" }, holder: { S: "h" }, held_until: { N: "1" } },
});

describe.concurrent("when the table of idempotent requests", { timeout: timeoutMilliseconds }, () => {
  it.for(faults)("%s, a request that may be a repetition does not run", async ([, behaviour], context) => {
    const { expect } = context;
    const { requested, endpoints } = counting();
    const table = requestTableAt(await startAws(context, behaviour));
    const idempotencyStore = createIdempotencyStore({ table, store: noStore });
    const request = { ...idempotentTranslation, remainingMilliseconds: timeoutMilliseconds };
    const { status, headers, body } = await send(endpoints, request, { idempotencyStore });
    expect({ status, code: body.error.code }).toEqual({ status: 503, code: "service_unavailable" });
    expect(Number(headers["Retry-After"])).toBeGreaterThan(0);
    expect(requested).toEqual([]);
  });

  it.for(faults)("%s after the response is ready, that is sent anyway", async ([, behaviour], context) => {
    const { expect } = context;
    const { endpoints } = counting();
    const server = await startFakeBackend();
    context.onTestFinished(() => server.close());
    server.behave(lockTaken, behaviour ?? resetting);
    const idempotencyStore = createIdempotencyStore({
      table: requestTableAt(server.baseUrl),
      store: noStore,
    });
    expect((await send(endpoints, idempotentTranslation, { idempotencyStore })).status).toBe(200);
  });

  it.for(faults)(
    "%s, a request without an Idempotency-Key takes no notice",
    async ([, behaviour], context) => {
      const { expect } = context;
      const table = requestTableAt(await startAws(context, behaviour));
      const idempotencyStore = createIdempotencyStore({ table, store: noStore });
      const { headers: _, ...request } = idempotentTranslation;
      expect((await send(counting().endpoints, request, { idempotencyStore })).status).toBe(200);
    },
  );
});

describe.concurrent("when the store of large responses", () => {
  const storeFaults = faults.filter(([fault]) => fault !== "says nothing");

  it.for(faults)("%s, such a response is sent anyway", async ([, behaviour], context) => {
    const { expect } = context;
    const store = linkedStoreAt(await startAws(context, behaviour));
    const idempotencyStore = createIdempotencyStore({ table: intact.openForRequests(), store });
    const request = { ...idempotentTranslation, headers: { "Idempotency-Key": crypto.randomUUID() } };
    const { status } = await send(counting("x".repeat(1_000_000)).endpoints, request, { idempotencyStore });
    expect(status).toBe(200);
  });

  it.for(storeFaults)(
    "%s, it is not returned again and the model is not called again",
    async ([, behaviour], context) => {
      const { expect } = context;
      const stored = { put: async () => undefined, delete: noStore.delete };
      const stream = linkedStoreAt(await startAws(context, behaviour)).stream;
      const { requested, endpoints } = counting("x".repeat(1_000_000));
      const idempotencyStore = createIdempotencyStore({
        table: intact.openForRequests(),
        store: { ...stored, stream },
      });
      const request = { ...idempotentTranslation, headers: { "Idempotency-Key": crypto.randomUUID() } };
      await send(endpoints, request, { idempotencyStore });
      const { status, body } = await send(endpoints, request, { idempotencyStore });
      expect({ status, code: body.error.code }).toEqual({ status: 502, code: "storage_unavailable" });
      expect(requested).toHaveLength(1);
    },
  );
});

describe.concurrent("when the object store", () => {
  const storeFaults = faults.filter(([fault]) => fault !== "says nothing");
  const expected = { status: 502, code: "storage_unavailable" };
  const fileId = "0b4a6a52-9a7c-4d0b-8d0e-3f1c9f3f3d11";

  it.for(storeFaults)("%s, speech is not said to be stored", async ([, behaviour], context) => {
    const { expect } = context;
    const store = linkedStoreAt(await startAws(context, behaviour));
    const { status, body } = await send(
      speechEndpoints({
        synthesizer: { synthesize: async (request) => speechOf(request) },
        store,
        model: "model",
        encode: encodeAudio,
        platform: "platform",
      }),
      { path: "/tasks/audio/speech", body: { text: "Wasuze otya nno?" }, authorizer: authorizedCaller },
    );
    expect({ status, code: body.error.code }).toEqual(expected);
  });

  it.for(storeFaults)(
    "%s, an uploaded recording is not said to be missing",
    async ([, behaviour], context) => {
      const { expect } = context;
      const upload = { objectKey: "uploads/a.wav", contentType: "audio/wav", userId: 7 };
      const { status, body } = await send(
        transcriptionEndpoints({
          transcriber: { transcribe: () => Promise.reject(new Error("There is nothing to transcribe.")) },
          uploads: { find: async () => upload },
          store: linkedStoreAt(await startAws(context, behaviour)),
        }),
        {
          path: "/tasks/audio/transcriptions",
          ...(await encodeForm({ file_id: fileId, language: "lug" })),
          authorizer: authorizedCaller,
        },
      );
      expect({ status, code: body.error?.code }).toEqual(expected);
    },
  );

  it("cannot be signed for, no link is given out", async ({ expect }) => {
    const { status, body } = await send(
      uploadEndpoints({
        findBearer: async () => undefined,
        uploads: createUploadsRepository(intact.openForRequests()),
        store: storeWithoutCredentials(),
      }),
      { path: "/tasks/generate-upload-url", body: { file_name: "a.wav", content_type: "audio/wav" } },
    );
    expect({ status, code: body.error.code }).toEqual(expected);
  });
});
