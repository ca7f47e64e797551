import { once } from "node:events";
import type { ServerResponse } from "node:http";

/**
 * Sends server-sent events, one `data:` line each, as they come. Waits when the client reads more slowly than the
 * events come, and when the client goes away aborts the signal that the source of the events was given.
 *
 * @param events makes the events, already serialised and without line breaks
 */
export async function sendEvents(
  response: ServerResponse,
  events: (clientGone: AbortSignal) => AsyncIterable<string>,
): Promise<void> {
  if (response.destroyed) return;
  const clientGone = new AbortController();
  response.once("close", () => clientGone.abort());
  response.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache",
  });
  try {
    for await (const event of events(clientGone.signal)) {
      const hasRoom = response.write(`data: ${event}\n\n`);
      if (!hasRoom) await once(response, "drain", { signal: clientGone.signal });
      if (clientGone.signal.aborted) return;
    }
    response.end();
  } catch (error) {
    if (!clientGone.signal.aborted) throw error;
  }
}
