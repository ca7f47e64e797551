/** Sets how long the queue hides a message from other workers. */
export type HideMessage = (seconds: number) => Promise<void>;

/** The longest time until another worker takes over from a killed one. */
const heldSeconds = 60;

/** Short enough for several attempts to extend the hold. */
const againMilliseconds = 15_000;

/**
 * Hides a message from other workers while this one processes it, and at most a minute longer. The queue's own visibility
 * timeout is half an hour, as AWS advises for this function's timeout.
 *
 * @param hide may fail occasionally.
 * @returns a function that stops the extensions.
 */
export const holdMessage = async (hide: HideMessage): Promise<() => void> => {
  const hold = (): Promise<void> => hide(heldSeconds).catch(() => undefined);
  await hold();
  const timer = setInterval(() => void hold(), againMilliseconds);
  return () => clearInterval(timer);
};
