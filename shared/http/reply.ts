/** Bytes of an answer that leave while they are made. */
export type BodyChunks = AsyncIterable<string | Uint8Array>;

/** An answer that is not plain JSON with the operation's own status. */
export class Reply {
  readonly status: number;
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | BodyChunks;

  constructor(options: {
    readonly status?: number;
    readonly contentType: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body: string | BodyChunks;
  }) {
    this.status = options.status ?? 200;
    this.contentType = options.contentType;
    this.headers = options.headers ?? {};
    this.body = options.body;
  }
}
