import { once } from "node:events";
import type { ServerResponse } from "node:http";

/**
 * Sends an answer piece by piece, as the pieces come. Waits when the client reads more slowly than they come, and
 * when the client goes away aborts the signal that the source of the pieces was given.
 *
 * The head goes out with the first piece: a source that fails before it leaves the response free for an error.
 */
export async function sendStream(
  response: ServerResponse,
  headers: Readonly<Record<string, string>>,
  pieces: (clientGone: AbortSignal) => AsyncIterable<string | Uint8Array>,
): Promise<void> {
  if (response.destroyed) return;
  const clientGone = new AbortController();
  response.once("close", () => clientGone.abort());
  try {
    for await (const piece of pieces(clientGone.signal)) {
      if (clientGone.signal.aborted) return;
      if (!response.headersSent) response.writeHead(200, headers);
      const hasRoom = response.write(piece);
      if (!hasRoom) await once(response, "drain", { signal: clientGone.signal });
    }
    response.end();
  } catch (error) {
    if (!clientGone.signal.aborted) throw error;
  }
}
