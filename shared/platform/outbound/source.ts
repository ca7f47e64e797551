/** What a receiver throws reaches the source's owner. */
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
 * A push source: it passes each piece on at once. Dozens of responses pass through a function token by token, and the
 * promises of an async iteration would cost more than all other work on a token.
 */
export interface Source<Piece> {
  start(receiver: Receiver<Piece>): void;
  /** Stops pieces until `resume`; the end may still come. */
  pause(): void;
  resume(): void;
  /** Ends it early: nothing follows, not even an end, and the producer stops. */
  stop(): void;
}
