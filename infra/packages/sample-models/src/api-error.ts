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
