import { randomBytes } from "node:crypto";
import * as z from "zod";

/** The addresses of a stage, without slashes at the end. */
export interface Target {
  readonly api: string;
  /** The chat function's own URL. */
  readonly stream: string;
}

/** Something that only AWS can show, or that later checks need. */
export interface Check {
  readonly what: string;
  readonly expected: string;
  /** @returns what happened. @throws Error when it is not what should happen. */
  run(): Promise<string>;
}

const responseMilliseconds = 150_000;

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | URLSearchParams | Uint8Array<ArrayBuffer>;
}

const send = (url: string, { method = "GET", headers = {}, body }: Sent = {}): Promise<Response> =>
  fetch(url, {
    method,
    headers,
    signal: AbortSignal.timeout(responseMilliseconds),
    ...(body === undefined ? {} : { body }),
  });

const json = (value: object): Pick<Sent, "body" | "headers"> => ({
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(value),
});

/** Returns the status and error of a response as words. @throws Error with them when the status is another one. */
const expectStatus = async (response: Response, status: number): Promise<string> => {
  const words =
    `${response.status} ${(await response.text()).slice(0, 120).replaceAll(/[\n|]/g, " ")}`.trim();
  if (response.status !== status) throw new Error(words);
  return words;
};

/** The error body that API Gateway's own errors have as well. */
const errorBody = z.object({
  detail: z.string(),
  error: z.object({ code: z.string() }),
  request_id: z.string(),
});

const expectError = async (response: Response, status: number): Promise<string> => {
  const { error } = errorBody.parse(await response.clone().json());
  await expectStatus(response, status);
  return `${status} ${error.code}`;
};

const megabytes = (count: number): Uint8Array<ArrayBuffer> => new Uint8Array(count * 1_048_576).fill(32);

/** API Gateway's own responses, from its templates, and the authorizer's. */
const gatewayChecks = ({ api }: Target): Check[] => [
  {
    what: "`GET /health`",
    expected: "200",
    run: async () => expectStatus(await send(`${api}/health`), 200),
  },
  {
    what: "`PATCH /health`: the mock's template chooses the status by `$context.httpMethod`",
    expected: "405 with `Allow` and our error",
    run: async () => {
      const response = await send(`${api}/health`, { method: "PATCH", ...json({}) });
      const allow = response.headers.get("allow");
      const words = await expectError(response, 405);
      if (!allow?.includes("GET")) throw new Error(`${words}, Allow: ${allow}`);
      return `${words}, Allow: ${allow}`;
    },
  },
  {
    what: "`OPTIONS /tasks/translate` of a browser",
    expected: "204 with `Access-Control-Allow-Methods`",
    run: async () => {
      const headers = { Origin: "https://example.org", "Access-Control-Request-Method": "POST" };
      const response = await send(`${api}/tasks/translate`, { method: "OPTIONS", headers });
      await expectStatus(response, 204);
      const methods = response.headers.get("access-control-allow-methods");
      if (!methods?.includes("POST")) throw new Error(`204, methods: ${methods}`);
      return `204, methods: ${methods}`;
    },
  },
  {
    what: "`GET /no-such-path`",
    expected: "404 with our error",
    run: async () => expectError(await send(`${api}/no-such-path`), 404),
  },
  {
    what: "`GET /auth/me` with a forged token: the authorizer refuses",
    expected: "401 with our error",
    run: async () =>
      expectError(await send(`${api}/auth/me`, { headers: { Authorization: "Bearer a.b.c" } }), 401),
  },
];

/** The limits of API Gateway and Lambda. */
const sizeChecks = ({ api, stream }: Target): Check[] => [
  {
    what: "11 MB to `POST /auth/register`, above API Gateway's limit",
    expected: "413 with our error",
    run: async () =>
      expectError(
        await send(`${api}/auth/register`, { method: "POST", ...json({}), body: megabytes(11) }),
        413,
      ),
  },
  {
    what: "7 MB to the chat function's URL, above Lambda's limit",
    expected: "413",
    run: async () => {
      const url = `${stream}/tasks/chat/completions`;
      return expectStatus(await send(url, { method: "POST", ...json({}), body: megabytes(7) }), 413);
    },
  },
];

/** A second of silence: 8 kHz, 16 bits, mono. */
const silence = (): Uint8Array<ArrayBuffer> => {
  const bytes = new Uint8Array(44 + 16_000);
  const view = new DataView(bytes.buffer);
  for (const [offset, text] of [
    [0, "RIFF"],
    [8, "WAVEfmt "],
    [36, "data"],
  ] as const)
    bytes.set(Buffer.from(text), offset);
  for (const [offset, value] of [
    [4, 36 + 16_000],
    [16, 16],
    [24, 8_000],
    [28, 16_000],
    [40, 16_000],
  ] as const) {
    view.setUint32(offset, value, true);
  }
  for (const [offset, value] of [
    [20, 1],
    [22, 1],
    [32, 2],
    [34, 16],
  ] as const)
    view.setUint16(offset, value, true);
  return bytes;
};

const link = z.object({ upload_url: z.string(), file_id: z.string() });
const created = z.object({ id: z.string() });
const accessToken = z.object({ access_token: z.string() });

/** @returns when the first and the last byte came, and in how many pieces. */
const readStream = async (response: Response, startedAt: number): Promise<string> => {
  if (response.status !== 200 || !response.body) throw new Error(await expectStatus(response, 200));
  const decoder = new TextDecoder();
  const times: number[] = [];
  let text = "";
  for await (const piece of response.body) {
    times.push(Date.now() - startedAt);
    text += decoder.decode(piece, { stream: true });
  }
  const words = `${times.length} pieces, the first after ${times[0]} ms, the last after ${times.at(-1)} ms`;
  if (times.length < 2 || !text.includes("[DONE]")) throw new Error(words);
  return words;
};

/** A new account of the stage, and its requests. */
class Account {
  readonly username = `first-${randomBytes(6).toString("hex")}`;
  readonly password = randomBytes(18).toString("base64url");
  readonly target: Target;
  #token = "";

  constructor(target: Target) {
    this.target = target;
  }

  async logIn(): Promise<Response> {
    const body = new URLSearchParams({ username: this.username, password: this.password });
    const response = await send(`${this.target.api}/auth/token`, { method: "POST", body });
    if (response.status === 200) this.#token = accessToken.parse(await response.clone().json()).access_token;
    return response;
  }

  send(path: string, body: object, { method = "POST", address = this.target.api } = {}): Promise<Response> {
    const headers = { "Content-Type": "application/json", Authorization: `Bearer ${this.#token}` };
    return send(`${address}${path}`, { method, headers, body: JSON.stringify(body) });
  }
}

const signUpChecks = (account: Account): Check[] => [
  {
    what: "registration: a transaction of four items, and a mail to the simulator of SES",
    expected: "201",
    run: async () => {
      const { username, password } = account;
      const email = `success+${username}@simulator.amazonses.com`;
      const response = await account.send("/auth/register", { username, email, password });
      return (await expectStatus(response, 201)).slice(0, 3);
    },
  },
  {
    what: "login: Argon2id in Lambda's Node, and the signing key of Secrets Manager",
    expected: "200",
    run: async () => (await expectStatus(await account.logIn(), 200)).slice(0, 3),
  },
];

const jobCheck = (account: Account): Check => ({
  what: "a job, created and cancelled: transactions of `ACCESS` and `JOBS` items under `LeadingKeys`",
  expected: "202 and 204",
  run: async () => {
    const recording = silence();
    const file = { file_name: "silence.wav", content_type: "audio/wav", size: recording.length };
    const upload = link.parse(await (await account.send("/tasks/generate-upload-url", file)).json());
    const headers = { "Content-Type": "audio/wav" };
    await expectStatus(await send(upload.upload_url, { method: "PUT", headers, body: recording }), 200);
    const job = { type: "transcription", language: "lug", file_id: upload.file_id };
    const response = await account.send("/tasks/jobs", job);
    const { id } = created.parse(await response.clone().json());
    await expectStatus(response, 202);
    return `202 and ${await expectStatus(await account.send(`/tasks/jobs/${id}`, {}, { method: "DELETE" }), 204)}`;
  },
});

const streamCheck = (account: Account, where: string, address: string): Check => ({
  what: `chat, streamed ${where}`,
  expected: "several pieces over time, `[DONE]` last",
  run: async () => {
    const startedAt = Date.now();
    const messages = [{ role: "user", content: "Count from one to ten." }];
    const response = await account.send("/tasks/chat/completions", { messages, stream: true }, { address });
    return readStream(response, startedAt);
  },
});

const deletionCheck = (account: Account): Check => ({
  what: "deletion of the account",
  expected: "204",
  run: async () => {
    const { password } = account;
    return expectStatus(await account.send("/auth/me", { password }, { method: "DELETE" }), 204);
  },
});

/** What an account does: each is a transaction, a secret, a permission or a stream on AWS. */
const accountChecks = (target: Target): Check[] => {
  const account = new Account(target);
  return [
    ...signUpChecks(account),
    jobCheck(account),
    streamCheck(account, "through the REST API", target.api),
    streamCheck(account, "at the function's URL", target.stream),
    deletionCheck(account),
  ];
};

/** The requests of the first deployment, in their order: later ones need the account of earlier ones. */
export const requestChecks = (target: Target): Check[] => [
  ...gatewayChecks(target),
  ...sizeChecks(target),
  ...accountChecks(target),
];
