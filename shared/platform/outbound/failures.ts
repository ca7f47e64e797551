/** The other side did not answer in time. */
export class BackendTimeout extends Error {
  override readonly name: string = "BackendTimeout";
}

/**
 * The other side was at work for longer than it may take in all: it has answered without coming to an end, or what it was
 * asked for is answered in one piece and may just need longer. That says nothing against the server itself.
 */
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
}

/** The other side answered with a status that means failure. Its words are not kept: they may repeat the request. */
export class BackendRefusal extends Error {
  override readonly name = "BackendRefusal";
  readonly status: number;

  /** @param model what was asked for, by its server's name: a wrong one is the first mistake of a new installation. */
  constructor(status: number, model?: string) {
    const asked = model === undefined ? "" : ` when it was asked for the model "${model}"`;
    super(`The model's server answered with status ${status}${asked}.`);
    this.status = status;
  }
}

/** Why a connection failed: a time-out as it is, everything else as a BackendUnreachable. */
export const connectionFailure = (cause: unknown): Error =>
  cause instanceof BackendTimeout || (cause instanceof Error && cause.name === "TimeoutError")
    ? cause
    : new BackendUnreachable("The connection failed.", { cause });
