import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import * as z from "zod";

/** Something a runtime sent, without what differs from run to run. */
export type Observation = Readonly<Record<string, unknown>>;

const errorReport = z.object({ errorType: z.string(), errorMessage: z.string(), trace: z.array(z.string()) });

/**
 * A Runtime API that delivers events and records the results. It holds the next event back until the last result has
 * arrived: AWS's client may request it while it still sends the trailers of a stream.
 */
export class RecordingRuntimeApi {
  /** Resolved when the runtime requests more events than there are. */
  readonly exhausted: Promise<void>;
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  readonly #exhausted = Promise.withResolvers<void>();
  readonly #observations: Observation[] = [];
  readonly #incoming = new Set<Promise<void>>();
  readonly #events: unknown[];
  #responded = Promise.withResolvers<void>();

  constructor(events: readonly unknown[]) {
    this.#events = [...events];
    this.#responded.resolve();
    this.exhausted = this.#exhausted.promise;
  }

  /** @returns the address for `AWS_LAMBDA_RUNTIME_API` */
  async listen(): Promise<string> {
    await once(this.#server.listen(0, "127.0.0.1"), "listening");
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("The Runtime API has no port.");
    return `127.0.0.1:${address.port}`;
  }

  /** What the runtime sent, once all of it has come. */
  async received(): Promise<readonly Observation[]> {
    await Promise.all(this.#incoming);
    return this.#observations;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url?.endsWith("/invocation/next")) {
      await this.#serveNext(response);
      return;
    }
    const observed = this.#observe(request).then((observation) => {
      this.#observations.push(observation);
      this.#responded.resolve();
      response.writeHead(202).end();
    });
    this.#incoming.add(observed);
    await observed;
    this.#incoming.delete(observed);
  }

  async #serveNext(response: ServerResponse): Promise<void> {
    await this.#responded.promise;
    if (this.#events.length === 0) {
      this.#exhausted.resolve();
      return;
    }
    this.#responded = Promise.withResolvers();
    response.writeHead(200, {
      "Content-Type": "application/json",
      "Lambda-Runtime-Aws-Request-Id": "00000000-0000-4000-8000-000000000000",
      "Lambda-Runtime-Deadline-Ms": Date.now() + 10_000,
      "Lambda-Runtime-Invoked-Function-Arn": "arn:aws:lambda:us-east-1:000000000000:function:compared",
      "Lambda-Runtime-Trace-Id": "Root=1-00000000-000000000000000000000000;Sampled=0",
    });
    response.end(JSON.stringify(this.#events.shift()));
  }

  async #observe(request: IncomingMessage): Promise<Observation> {
    const path = request.url?.replace(/^\/2018-06-01\/runtime\//, "").replace(/\/[0-9a-f-]{36}\//, "/");
    const streaming = request.headers["lambda-runtime-function-response-mode"] === "streaming";
    const body = await buffer(request).catch(() => undefined);
    if (!streaming) return { path, body: body && normalize(JSON.parse(String(body))) };
    const error = request.trailers["lambda-runtime-function-error-body"];
    return {
      path,
      streaming,
      contentType: request.headers["content-type"],
      brokenOff: body === undefined,
      ...(body !== undefined && { body: body.toString() }),
      ...(error !== undefined && {
        trailingErrorType: request.trailers["lambda-runtime-function-error-type"],
        trailingError: normalize(JSON.parse(Buffer.from(error, "base64").toString())),
      }),
    };
  }
}

/** Stack traces name the runtime's own files, and messages of Node.js the files that required a module. */
function normalize(body: unknown): unknown {
  const report = errorReport.safeParse(body);
  if (!report.success) return body;
  const { errorType, errorMessage, trace } = report.data;
  return { errorType, errorMessage: errorMessage.split("\nRequire stack:")[0], hasTrace: trace.length > 0 };
}
