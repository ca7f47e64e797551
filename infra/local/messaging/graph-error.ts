/** A refusal in the words of the Graph API (reference, "Error codes"). */
export class GraphError extends Error {
  override readonly name = "GraphError";
  readonly status: number;
  readonly body: object;

  constructor(status: number, code: number, message: string, type = "OAuthException") {
    super(message);
    this.status = status;
    this.body = { error: { message: `(#${code}) ${message}`, type, code, fbtrace_id: "local" } };
  }
}

/** A parameter that the platform does not take. */
export const invalidParameter = (message: string): GraphError => new GraphError(400, 100, message);
