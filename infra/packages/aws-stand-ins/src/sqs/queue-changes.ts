import { EventEmitter, once } from "node:events";

const anyQueue = "any queue";

// The prefix keeps a queue that is called "error" from being taken for an emitter's own events.
const changeOf = (queueName: string): string => `change of ${queueName}`;

/** Wakes the waiters of a queue when a message was sent, deleted, made visible or moved. */
export class QueueChanges {
  readonly #emitter = new EventEmitter().setMaxListeners(0);

  announce(queueName: string): void {
    this.#emitter.emit(changeOf(queueName));
    this.#emitter.emit(anyQueue);
  }

  /** Resolves at the queue's next change, or after `milliseconds`, or when `signal` aborts. */
  next(queueName: string, milliseconds: number, signal: AbortSignal): Promise<void> {
    return this.#wait(changeOf(queueName), milliseconds, signal);
  }

  /** As {@link next}, for a change of any queue. */
  nextOfAny(milliseconds: number, signal: AbortSignal): Promise<void> {
    return this.#wait(anyQueue, milliseconds, signal);
  }

  async #wait(event: string, milliseconds: number, signal: AbortSignal): Promise<void> {
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), milliseconds);
    try {
      await once(this.#emitter, event, { signal: AbortSignal.any([signal, timeout.signal]) });
    } catch (error) {
      if (!signal.aborted && !timeout.signal.aborted) throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}
