import type { Receiver, Source } from "../../shared/platform/outbound/source.ts";

/** An iteration as a source: while it is paused, it requests nothing more. */
export const sourceOf = <Piece>(pieces: AsyncIterable<Piece>): Source<Piece> => {
  const iterator = pieces[Symbol.asyncIterator]();
  let receiver: Receiver<Piece> | undefined;
  let isPaused = false;
  let isAsking = false;
  let ready: { readonly value: Piece } | undefined;
  const end = (failure?: unknown): void => receiver?.onEnd(failure);
  const advance = (): void => {
    if (isPaused || isAsking || !receiver) return;
    const piece = ready;
    ready = undefined;
    if (piece) {
      receiver.onPiece(piece.value);
      advance();
      return;
    }
    isAsking = true;
    iterator.next().then((next) => {
      isAsking = false;
      if (next.done) {
        end();
        return;
      }
      ready = next;
      advance();
    }, end);
  };
  return {
    start: (given) => {
      receiver = given;
      advance();
    },
    pause: () => {
      isPaused = true;
    },
    resume: () => {
      isPaused = false;
      advance();
    },
    stop: () => {
      receiver = undefined;
      void iterator.return?.();
    },
  };
};

/** The pieces of a source, one by one: it is paused while no one waits. Its failure is the value of its end. */
export const iterate = <Piece>(source: Source<Piece>): Required<AsyncIterator<Piece, unknown>> => {
  const arrived: IteratorResult<Piece, unknown>[] = [];
  let waiting: PromiseWithResolvers<IteratorResult<Piece, unknown>> | undefined;
  let isStarted = false;
  let isOver = false;
  const give = (result: IteratorResult<Piece, unknown>): void => {
    if (waiting) waiting.resolve(result);
    else arrived.push(result);
    waiting = undefined;
  };
  const over = (value?: unknown): IteratorResult<Piece, unknown> => {
    isOver = true;
    return { done: true, value };
  };
  const ask = (): void => {
    if (isStarted) {
      source.resume();
      return;
    }
    isStarted = true;
    source.start({
      onPiece: (value) => {
        source.pause();
        give({ done: false, value });
      },
      onEnd: (failure) => give(over(failure)),
    });
  };
  return {
    next: () => {
      const ready = arrived.shift();
      if (ready) return Promise.resolve(ready);
      if (isOver) return Promise.resolve(over());
      waiting = Promise.withResolvers();
      const { promise } = waiting;
      ask();
      return promise;
    },
    return: async () => {
      source.stop();
      give(over());
      arrived.length = 0;
      return over();
    },
    throw: (reason) => Promise.reject(reason),
  };
};

/** The same, with the source's failure thrown. */
export const piecesOf = <Piece>(source: Source<Piece>): AsyncIterable<Piece> => ({
  [Symbol.asyncIterator]: () => {
    const pieces = iterate(source);
    return {
      next: async () => {
        const next = await pieces.next();
        if (next.done && next.value !== undefined) throw next.value;
        return next.done ? { done: true, value: undefined } : next;
      },
      return: async () => {
        await pieces.return();
        return { done: true, value: undefined };
      },
    };
  },
});
