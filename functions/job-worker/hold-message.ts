/** The queue's visibility time-out of a message: how long nobody else is given it. */
export type HideMessage = (seconds: number) => Promise<void>;

/** A worker that is killed is noticed when nobody has held its message for so long. */
const heldSeconds = 60;

/** Several tries fit into that time. */
const againMilliseconds = 15_000;

/**
 * Keeps a message from other workers as long as this one is at work on it, and not much longer: the queue's own time is as long as
 * AWS advises for a function of this time-out, half an hour.
 *
 * @param hide may fail now and then.
 * @returns what ends it.
 */
export const holdMessage = async (hide: HideMessage): Promise<() => void> => {
  const hold = (): Promise<void> => hide(heldSeconds).catch(() => undefined);
  await hold();
  const timer = setInterval(() => void hold(), againMilliseconds);
  return () => clearInterval(timer);
};
