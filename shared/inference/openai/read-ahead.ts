import type { AudioSource } from "../../audio/audio-source.ts";

/** Few requests for a source behind a network, and little memory: one piece is on its way out, one on its way in. */
const defaultPieceBytes = 2 * 1024 * 1024;

/** A source from its start to its end. While one piece is being used the next is read, and no more than that. */
export async function* readAhead(
  source: AudioSource,
  pieceBytes: number = defaultPieceBytes,
): AsyncGenerator<Uint8Array, void, undefined> {
  const readFrom = (start: number): Promise<Uint8Array> | undefined => {
    if (start >= source.size) return undefined;
    const piece = source.read(start, Math.min(source.size, start + pieceBytes));
    // A failure counts when the piece is wanted; until then it must not count as unhandled.
    piece.catch(() => undefined);
    return piece;
  };
  let next = readFrom(0);
  for (let start = pieceBytes; next; start += pieceBytes) {
    const piece = await next;
    next = readFrom(start);
    yield piece;
  }
}
