/** How often a line is written where no terminal shows it. */
const reportMilliseconds = 10_000;

/** Shows how far a run is. */
export interface RunProgress {
  step(): void;
  say(sentence: string): void;
  end(): void;
}

const remainingTime = (seconds: number): string =>
  seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.round(seconds / 60)} min`;

/**
 * Shows progress: on a terminal one line that changes, else a line now and then.
 *
 * @param done items that earlier runs completed
 */
export const showProgress = (
  total: number,
  done: number,
  out: { readonly isTTY?: boolean; write(text: string): unknown },
): RunProgress => {
  const startedAt = performance.now();
  let count = done;
  let shownAt = Number.NEGATIVE_INFINITY;
  const line = (): string => {
    const seconds = (performance.now() - startedAt) / 1_000;
    const left =
      count === done ? "" : `, about ${remainingTime((seconds / (count - done)) * (total - count))} left`;
    return `${count} of ${total} items (${Math.floor((100 * count) / total)}%)${count < total ? left : ""}`;
  };
  const show = (): void => {
    const now = performance.now();
    if (out.isTTY) out.write(`\r\u001b[K${line()}`);
    else if (now - shownAt >= reportMilliseconds || count === total) {
      shownAt = now;
      out.write(`${line()}\n`);
    }
  };
  show();
  return {
    step: () => {
      count += 1;
      show();
    },
    say: (sentence) => {
      out.write(out.isTTY ? `\r\u001b[K${sentence}\n` : `${sentence}\n`);
    },
    end: () => {
      if (out.isTTY) out.write("\n");
    },
  };
};
