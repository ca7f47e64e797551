/** What the benchmark asks the mock server for: the text of the last message, which the service passes on as it is. */
export interface MockAnswer {
  readonly tokens: number;
  /** Before each token; 0 for as fast as the reader takes them. */
  readonly pauseMilliseconds: number;
}

/** The models' names on the mock server. */
export const mockModel = "mock";

/** How a benchmark process tells the one that started it that it answers. */
export interface Started {
  readonly url: string;
}
