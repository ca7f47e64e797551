import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

/** A response as a client sees it. */
export interface JsonResponse {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  readonly body: any;
}

/** What a client sends. Objects go as JSON; texts, forms, bytes and a `Blob` as they are. */
export interface CallOptions {
  readonly method?: string;
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/** What an account is registered with. */
export interface Registration {
  readonly username: string;
  readonly email: string;
  readonly password: string;
}

/** A person with an account and a token. */
export interface TestAccount extends Registration {
  readonly id: number;
  readonly token: string;
}

/** A registration that was not used before. @param mailbox the address of a new username. */
export const newRegistration = (mailbox = (username: string) => `${username}@example.com`): Registration => {
  const username = `user-${randomBytes(6).toString("hex")}`;
  return { username, email: mailbox(username), password: "seven storks by the lake" };
};

const isRaw = (body: unknown): body is string | URLSearchParams | FormData | Blob =>
  typeof body === "string" ||
  body instanceof URLSearchParams ||
  body instanceof FormData ||
  body instanceof Blob;

const encode = (
  body: unknown,
): { body?: NonNullable<RequestInit["body"]>; headers?: Record<string, string> } => {
  if (body === undefined) return {};
  if (body instanceof Uint8Array) return { body: Uint8Array.from(body) };
  if (isRaw(body)) return { body };
  return { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } };
};

/** Sends what a deployment limits strictly by address, again when it says so. @returns the body of the success. */
const patiently = async (send: () => Promise<JsonResponse>): Promise<JsonResponse["body"]> => {
  for (;;) {
    const { status, headers, body } = await send();
    if (status < 300) return body;
    if (status !== 429) throw new Error(`The account was refused: ${status} ${JSON.stringify(body)}`);
    await sleep(1_000 * Number(headers.get("retry-after") ?? 1));
  }
};

/** In milliseconds. They grow: each look costs work, and a long wait stays within an account's requests a minute. */
const pauses = { first: 100, factor: 1.5, max: 2_000 };

/** What an upload is called, by its account. */
export interface UploadOptions {
  readonly token?: string | undefined;
  readonly name?: string;
  readonly type?: string;
}

/** A client of the service. */
export class ApiClient {
  readonly #address: () => string;

  /** @param address of the service, which may change when it is started again. */
  constructor(address: () => string) {
    this.#address = address;
  }

  /** Sends one request; a whole address goes where it says. Redirects are not followed. */
  readonly request = (path: string, { token, signal, ...options }: CallOptions = {}): Promise<Response> => {
    const { body, headers } = encode(options.body);
    return fetch(path.startsWith("http") ? path : `${this.#address()}${path}`, {
      method: options.method ?? (body === undefined ? "GET" : "POST"),
      headers: { ...headers, ...(token ? { Authorization: `Bearer ${token}` } : {}), ...options.headers },
      ...(body === undefined ? {} : { body }),
      ...(signal ? { signal } : {}),
      redirect: "manual",
    });
  };

  /** Sends one request, and reads the whole response: JSON as what it says, anything else as text. */
  readonly call = async (path: string, options?: CallOptions): Promise<JsonResponse> => {
    const response = await this.request(path, options);
    const text = await response.text();
    const isJson = text !== "" && response.headers.get("content-type")?.startsWith("application/json");
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
  };

  /** Sends a request that must succeed. @returns the body. @throws Error with the response. */
  readonly send = async (path: string, options?: CallOptions): Promise<JsonResponse["body"]> => {
    const { status, body } = await this.call(path, options);
    if (status < 300) return body;
    throw new Error(`${path} returned ${status}: ${JSON.stringify(body).slice(0, 500)}`);
  };

  /** Gets a token as the guide says. */
  readonly logIn = (
    username: string,
    password: string,
    secondFactor: { readonly otp?: string } = {},
  ): Promise<JsonResponse> =>
    this.call("/auth/token", { body: new URLSearchParams({ username, password, ...secondFactor }) });

  /** Registers a person and logs them in. */
  readonly createAccount = async (registration = newRegistration()): Promise<TestAccount> => {
    const { username, password } = registration;
    const { id } = await patiently(() => this.call("/auth/register", { body: registration }));
    const { access_token: token } = await patiently(() => this.logIn(username, password));
    return { ...registration, id, token };
  };

  /** Uploads a file. @returns the id by which tasks name it. */
  readonly upload = async (
    content: string | Uint8Array,
    { token, name = "council.wav", type = "audio/wav" }: UploadOptions = {},
  ): Promise<string> => {
    const bytes = Buffer.from(content);
    const body = { file_name: name, content_type: type, size: bytes.length };
    const link = await this.send("/tasks/generate-upload-url", { token, body });
    await this.send(link.upload_url, { method: "PUT", headers: { "Content-Type": type }, body: bytes });
    return link.file_id;
  };

  /** Uploads a recording or a document, and creates a job for it. @returns the job. */
  readonly startJob = async (
    content: string | Uint8Array,
    fields: object,
    options: UploadOptions,
  ): Promise<JsonResponse["body"]> => {
    const file_id = await this.upload(content, options);
    return this.send("/tasks/jobs", { token: options.token, body: { ...fields, file_id } });
  };

  /** The response about a job once it has ended. @param look sees every response until then. */
  readonly whenOver = async (
    id: string,
    token: string,
    look: (response: JsonResponse) => void = () => undefined,
  ): Promise<JsonResponse> => {
    for (let pause = pauses.first; ; pause = Math.min(pause * pauses.factor, pauses.max)) {
      const response = await this.call(`/tasks/jobs/${id}`, { token });
      look(response);
      if (!/queued|running/.test(response.body.status)) return response;
      await sleep(pause);
    }
  };

  /** Has a text spoken. @returns a WAV file, whose words the sample models hear. */
  readonly speak = async (text: string, token: string, fields: object = {}): Promise<Buffer> => {
    const body = { text, response_mode: "stream", ...fields };
    const response = await this.request("/tasks/audio/speech", { token, body });
    if (response.status !== 200) throw new Error(await response.text());
    return Buffer.from(await response.arrayBuffer());
  };
}
