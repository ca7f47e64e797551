import type { IncomingMessage, ServerResponse } from "node:http";

type Details = {
  readonly code?: string;
  /** The parameter that is wrong, as a path: `messages[0].content`. */
  readonly param?: string;
  readonly headers?: Readonly<Record<string, string>>;
};

/** What a client did wrong, in the words and the shape of OpenAI's API. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string | null;
  readonly param: string | null;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, { code, param, headers = {} }: Details = {}) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.code = code ?? null;
    this.param = param ?? null;
    this.headers = headers;
  }
}

/** How the server was started, for the endpoints. */
export type SampleSettings = {
  /** The pause between two tokens of a stream, so that streaming can be seen. */
  readonly tokenDelayMilliseconds: number;
};

/** One exchange of the server. */
export type Exchange = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly settings: SampleSettings;
};

/** One endpoint of the OpenAI HTTP API. It handles the exchange, or throws an `ApiError`. */
export type Endpoint = {
  readonly method: "GET" | "POST";
  /** The whole path, for example `/v1/models`. */
  readonly path: string;
  readonly handle: (exchange: Exchange) => Promise<void>;
};
