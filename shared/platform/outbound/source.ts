/** Who takes what a source gives. What it throws, the source's owner gets. */
export interface Receiver<Piece> {
  onPiece(piece: Piece): void;
  /**
   * Called once, after the last piece.
   *
   * @param failure why there is no more, when that is not the end that was to come.
   */
  onEnd(failure: unknown): void;
}

/**
 * Something that arrives in pieces, and gives each of them away at once. Dozens of answers come through a function token by
 * token, and the promises of an async iteration would cost more than all else that is done with a token.
 */
export interface Source<Piece> {
  /** Begins to give. */
  start(receiver: Receiver<Piece>): void;
  /** Lets no more pieces come until `resume`; the end may come all the same. */
  pause(): void;
  resume(): void;
  /** Ends it early: nothing is given any more, not even an end, and whoever makes the pieces stops. */
  stop(): void;
}
