import type { AppError } from "../../shared/errors/app-error.ts";

/** The next text of a stream, or that there is none any more, with the failure that the last one has told of. */
export type TextResult = IteratorResult<string, AppError | undefined>;

/** The texts of a stream, as they come. */
export interface Texts {
  next(): Promise<TextResult>;
  /** Ends the stream at once, also while a text is waited for. */
  return(): Promise<TextResult>;
}

/** That there is no more text. */
export const noMoreText: TextResult = { done: true, value: undefined };

/** A comment of the event stream format, which readers pass over. */
const comment: TextResult = { done: false, value: ": keep-alive\n\n" };

/**
 * The same texts, with a comment whenever none has come for a while: proxies close connections on which nothing
 * happens, and a model that thinks, or a GPU that is busy, can be silent for longer than they wait. One timer is set back
 * with each text, instead of a new one.
 *
 * @param isLate whether there has been silence already, so that a comment comes first.
 */
export const withKeepAlive = (source: Texts, milliseconds: number, isLate = false): Texts => {
  let owesComment = isLate;
  let isOver = false;
  let isReading = false;
  /** What came when nobody waited for it, because a comment had been taken. */
  let ready: Promise<TextResult> | undefined;
  let waiting: PromiseWithResolvers<TextResult> | undefined;
  let silence: NodeJS.Timeout | undefined;

  const close = (): void => {
    isOver = true;
    clearTimeout(silence);
  };
  const takeWaiting = (): typeof waiting => {
    const taken = waiting;
    waiting = undefined;
    return taken;
  };
  const onText = (result: TextResult): void => {
    if (isOver) return;
    isReading = false;
    if (result.done) close();
    const taker = takeWaiting();
    if (taker) taker.resolve(result);
    else ready = Promise.resolve(result);
  };
  const onFailure = (thrown: unknown): void => {
    close();
    takeWaiting()?.reject(thrown);
  };
  const wait = (): Promise<TextResult> => {
    const taker = Promise.withResolvers<TextResult>();
    waiting = taker;
    if (silence) silence.refresh();
    else silence = setTimeout(() => takeWaiting()?.resolve(comment), milliseconds);
    if (!isReading) {
      isReading = true;
      source.next().then(onText, onFailure);
    }
    return taker.promise;
  };

  return {
    next: () => {
      if (owesComment) {
        owesComment = false;
        return Promise.resolve(comment);
      }
      const result = ready;
      ready = undefined;
      return result ?? (isOver ? Promise.resolve(noMoreText) : wait());
    },
    return: () => {
      close();
      ready = undefined;
      takeWaiting()?.resolve(noMoreText);
      return source.return();
    },
  };
};
