import type { IncomingMessage, ServerResponse } from "node:http";

/** What the endpoints need to know of how the server was started. */
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

/** One endpoint of the OpenAI HTTP API. It answers the exchange, or throws an `ApiError`. */
export type Endpoint = {
  readonly method: "GET" | "POST";
  /** The whole path, for example `/v1/models`. */
  readonly path: string;
  readonly handle: (exchange: Exchange) => Promise<void>;
};
