import type { IncomingMessage } from "node:http";
import { BackendTimeout, connectionFailure } from "../../outbound/http-client.ts";

/**
 * The bytes of an answer as they arrive. The server may be silent for so long while it is waited for; the time that the
 * reader takes with a piece is not counted. Leaving the iteration early closes the connection.
 *
 * @throws BackendTimeout or BackendUnreachable.
 */
export async function* readPieces(
  response: IncomingMessage,
  silenceMilliseconds: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  const breakOff = () =>
    response.destroy(new BackendTimeout(`The server was silent for ${silenceMilliseconds} ms.`));
  let isWaiting = true;
  const silence = setTimeout(() => isWaiting && breakOff(), silenceMilliseconds);
  // The socket's own time-out does not know whether the server is silent or its reader slow.
  response.setTimeout(0);
  try {
    for await (const piece of response) {
      isWaiting = false;
      yield piece;
      isWaiting = true;
      silence.refresh();
    }
  } catch (error) {
    throw connectionFailure(error);
  } finally {
    clearTimeout(silence);
  }
}
