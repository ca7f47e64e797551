import type { Source } from "../../shared/outbound/source.ts";

/** A comment of the event stream format, which readers pass over. */
const comment = ": keep-alive\n\n";

/**
 * The same texts, with a comment whenever none has come for a while: proxies close connections on which nothing
 * happens, and a model that thinks, or a GPU that is busy, can be silent for longer than they wait. One timer is set back
 * with each text, instead of a new one. A reader who takes nothing, because there is more than they can take, needs none.
 *
 * @param isLate whether there has been silence already, so that a comment comes first.
 */
export const withKeepAlive = (
  source: Source<string>,
  milliseconds: number,
  isLate = false,
): Source<string> => {
  let silence: NodeJS.Timeout | undefined;
  let isPaused = false;
  const endSilence = (): void => {
    clearTimeout(silence);
    silence = undefined;
  };
  return {
    start: (receiver) => {
      silence = setTimeout(() => {
        if (isPaused) return;
        silence?.refresh();
        receiver.onPiece(comment);
      }, milliseconds);
      if (isLate) receiver.onPiece(comment);
      source.start({
        onPiece: (text) => {
          silence?.refresh();
          receiver.onPiece(text);
        },
        onEnd: (failure) => {
          endSilence();
          receiver.onEnd(failure);
        },
      });
    },
    pause: () => {
      isPaused = true;
      source.pause();
    },
    resume: () => {
      isPaused = false;
      silence?.refresh();
      source.resume();
    },
    stop: () => {
      endSilence();
      source.stop();
    },
  };
};
