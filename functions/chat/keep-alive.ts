import type { Source } from "../../shared/platform/outbound/source.ts";
import { IdleTimer } from "../../shared/platform/outbound/timeouts.ts";

/**
 * A comment of the event stream format, which readers ignore. No blank line ends it: openai-go takes one for the end of an event without
 * data up to v3.40, and ends the stream.
 */
const comment = ": keep-alive\n";

/**
 * Adds a comment whenever the texts have paused for a while: proxies close silent connections sooner than a model
 * that thinks, or a busy GPU, resumes. A reader who is behind needs none.
 * @param isLate whether there has been silence already, so that a comment comes first.
 */
export const withKeepAlive = (
  source: Source<string>,
  milliseconds: number,
  isLate = false,
): Source<string> => {
  let isPaused = false;
  let isOver = false;
  let give: (text: string) => void = () => undefined;
  const silence = new IdleTimer({
    milliseconds,
    onIdle: () => {
      if (isPaused) return;
      silence.touch();
      give(comment);
    },
  });
  const end = (): void => {
    isOver = true;
    silence.stop();
  };
  return {
    start: (receiver) => {
      give = (text) => receiver.onPiece(text);
      silence.touch();
      if (isLate) give(comment);
      source.start({
        onPiece: (text) => {
          silence.touch();
          receiver.onPiece(text);
        },
        onEnd: (failure) => {
          end();
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
      if (!isOver) silence.touch();
      source.resume();
    },
    stop: () => {
      end();
      source.stop();
    },
  };
};
