/** The bytes of a file, in memory or elsewhere, readable from any offset. */
export interface ByteSource {
  /** In bytes. */
  readonly size: number;
  /**
   * Returns exactly the bytes from `start` up to, not including, `end`; `0 <= start < end <= size`. They are not changed
   * afterwards. What it throws reaches the caller of the reader unchanged.
   */
  read(start: number, end: number): Promise<Uint8Array>;
}
