import { Agent, request } from "node:http";

/** What is sent. */
export interface LoadRequest {
  readonly kind: string;
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The end of a whole response, where its status is not enough. */
  readonly ending?: string;
}

/** How it went. */
export interface LoadResult {
  readonly kind: string;
  readonly firstByteMilliseconds: number;
  readonly milliseconds: number;
  /** Undefined when all is well. */
  readonly fault: string | undefined;
}

/** A client that keeps its connections and times what it asks. */
export const createLoadClient = (baseUrl: string) => {
  const agent = new Agent({ keepAlive: true });

  const send = ({ kind, method, path, headers, body, ending }: LoadRequest): Promise<LoadResult> => {
    const startedAt = performance.now();
    const { promise, resolve } = Promise.withResolvers<LoadResult>();
    let firstByteMilliseconds = Number.NaN;
    const finish = (fault?: string) =>
      resolve({ kind, firstByteMilliseconds, milliseconds: performance.now() - startedAt, fault });
    const outgoing = request(`${baseUrl}${path}`, { agent, method, headers: { ...headers } }, (response) => {
      let tail = "";
      response.setEncoding("utf8");
      response.on("data", (piece: string) => {
        if (Number.isNaN(firstByteMilliseconds)) firstByteMilliseconds = performance.now() - startedAt;
        tail = (tail + piece).slice(-300);
      });
      response.once("error", (error) => finish(`broke off: ${error.message}`));
      response.once("end", () => {
        if (response.statusCode !== 200) finish(`${response.statusCode} ${tail}`);
        else if (ending && !tail.trimEnd().endsWith(ending)) finish(`ended early: ${tail.slice(-80)}`);
        else finish();
      });
    });
    outgoing.setTimeout(60_000, () => outgoing.destroy(new Error("no byte for a minute")));
    outgoing.once("error", (error) => finish(error.message));
    outgoing.end(body);
    return promise;
  };
  return { send, close: () => agent.destroy() };
};
