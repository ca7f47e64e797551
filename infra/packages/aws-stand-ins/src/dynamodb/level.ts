export type Callback<Result> = (error?: unknown, result?: Result) => void;

/** One element of a LevelDB batch. LevelDB writes all elements of a batch or none, even if the process is killed. */
export type BatchOperation =
  | { readonly type: "put"; readonly key: string; readonly value: unknown }
  | { readonly type: "del"; readonly key: string };

/** Keys from `gte` up to, but without, `lt`. */
export interface KeyRange {
  readonly gte: string;
  readonly lt: string;
}

export interface LevelIterator {
  close(): Promise<void>;
  return?: () => Promise<void>;
}

/** The LevelDB database behind dynalite, in the part that is used here. Values are JSON. */
export interface Level {
  open(): Promise<void>;
  close: {
    (): Promise<void>;
    /** Closes the database so that it can be opened again; after the other one dynalite refuses every call. */
    readonly _original: () => Promise<void>;
  };
  /** The value, or undefined when there is none. */
  get(key: string): Promise<unknown>;
  batch(operations: readonly BatchOperation[]): Promise<void>;
  clear(range: KeyRange): Promise<void>;
  iterator(range: KeyRange): AsyncIterable<readonly [key: string, value: unknown]>;
  keys(options: unknown): LevelIterator;
  values(options: unknown): LevelIterator;
}
