/** Each piece may become a write to a network. */
const leastBytes = 1 << 16;

/** The same bytes in fewer pieces: each is at least 64 kB, but for the last one. */
export async function* gatherPieces(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  let waiting: Uint8Array[] = [];
  let length = 0;
  for await (const piece of pieces) {
    waiting.push(piece);
    length += piece.length;
    if (length < leastBytes) continue;
    yield waiting.length === 1 ? piece : Buffer.concat(waiting);
    waiting = [];
    length = 0;
  }
  if (length > 0) yield Buffer.concat(waiting);
}
