/** The server did not respond in time. */
export class BackendTimeout extends Error {
  override readonly name: string = "BackendTimeout";
  /** Resolves when the server has ended the abandoned call, or closed its connection, as far as that is known. */
  ended: Promise<void> = Promise.resolve();
}

/** The server took too long, but may just have more to do: no evidence that the server is down. */
export class BackendOverdue extends BackendTimeout {
  override readonly name: string = "BackendOverdue";
  readonly milliseconds: number;

  constructor(milliseconds: number) {
    super(`The server did not come to an end within ${milliseconds} ms.`);
    this.milliseconds = milliseconds;
  }
}

/** The other side cannot be reached, or the connection broke. */
export class BackendUnreachable extends Error {
  override readonly name = "BackendUnreachable";
  /** Whether the connection had waited for a request: its server may just have closed it for that. */
  readonly hadWaited: boolean;

  constructor(
    message: string,
    { hadWaited = false, ...options }: ErrorOptions & { hadWaited?: boolean } = {},
  ) {
    super(message, options);
    this.hadWaited = hadWaited;
  }
}

/** The server responded with an error status. */
export class BackendRefusal extends Error {
  override readonly name = "BackendRefusal";
  readonly status: number;
  /** What the server said. It may repeat the request, so it is no part of the message. */
  readonly words: string;

  /** @param options.model the requested model: a wrong name is the most common mistake of a new installation. */
  constructor(status: number, { model, words = "" }: { model?: string | undefined; words?: string } = {}) {
    const requested = model === undefined ? "" : ` for the model "${model}"`;
    super(`The model's server returned status ${status}${requested}.`);
    this.status = status;
    this.words = words;
  }
}

const unknownOutcome =
  "The connection closed before a response; whether the request was executed is unknown.";

/** Why a connection failed without a response: a timeout unchanged, everything else as a BackendUnreachable. */
export const connectionFailure = (cause: unknown, wasSent = false, hadWaited = false): Error =>
  cause instanceof BackendTimeout || (cause instanceof Error && cause.name === "TimeoutError")
    ? cause
    : new BackendUnreachable(wasSent ? unknownOutcome : "The connection failed.", { cause, hadWaited });
