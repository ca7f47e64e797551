import { Worker } from "node:worker_threads";

/** One piece of text to be spoken, with everything that decides how. */
export type Utterance = {
  /** Without markup; see `foldSpelling`. */
  readonly text: string;
  /** eSpeak NG's name of the voice, for example `sw+f2`. */
  readonly voiceName: string;
  /** 0 to 99. */
  readonly pitch: number;
  readonly wordsPerMinute: number;
  /** What would be longer is cut off. */
  readonly maxSeconds: number;
};

/** Returns the samples of an utterance: 16 bits, mono, `sampleRate`. */
export type Synthesise = (utterance: Utterance) => Promise<Int16Array>;

/** A request to the worker thread. */
export type SynthesisRequest = { readonly id: number; readonly utterance: Utterance };

/** The response to a request. */
export type SynthesisResult =
  | { readonly id: number; readonly samples: Int16Array }
  | { readonly id: number; readonly failure: string };

/**
 * The worker thread that speaks, seen from the thread of the server. It is started at the first utterance and serves
 * them one after the other; after a crash the next utterance starts a new one.
 */
export class Synthesiser {
  #worker: Worker | undefined;
  #closed = false;
  #lastId = 0;
  readonly #waiting = new Map<number, PromiseWithResolvers<Int16Array>>();

  /** Returns the samples of an utterance; rejects when the worker fails or the synthesiser is closed. */
  synthesise(utterance: Utterance): Promise<Int16Array> {
    if (this.#closed) return Promise.reject(new Error("The synthesiser is closed."));
    this.#worker ??= this.#start();
    this.#lastId += 1;
    const spoken = Promise.withResolvers<Int16Array>();
    this.#waiting.set(this.#lastId, spoken);
    this.#worker.postMessage({ id: this.#lastId, utterance } satisfies SynthesisRequest);
    return spoken.promise;
  }

  /** Ends the worker thread, in the middle of an utterance if need be. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(new URL("./synthesis-worker.ts", import.meta.url));
    // A process that has nothing else to do may end; a waiting client holds a connection open.
    worker.unref();
    worker.on("message", (result: SynthesisResult) => this.#finish(result));
    worker.on("error", (error) => this.#abandon(worker, error));
    worker.on("exit", () => this.#abandon(worker, new Error("The speech synthesiser has stopped.")));
    return worker;
  }

  #finish(result: SynthesisResult): void {
    const spoken = this.#waiting.get(result.id);
    this.#waiting.delete(result.id);
    if ("samples" in result) spoken?.resolve(result.samples);
    else spoken?.reject(new Error(`The speech synthesiser failed: ${result.failure}`));
  }

  #abandon(worker: Worker, error: unknown): void {
    // A thread that fails ends after that: what waits by then may be waiting for its successor.
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
