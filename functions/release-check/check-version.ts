import { releaseSamples } from "./samples.ts";

/** A streamed response is a head as JSON, eight zero bytes and the body. */
const endOfHead = "\0".repeat(8);

const read = (payload: string): unknown => {
  const [head = ""] = payload.split(endOfHead);
  try {
    return JSON.parse(head);
  } catch {
    return undefined;
  }
};

/**
 * Sends a function's sample events to one of its versions.
 *
 * @param name of the function.
 * @param invoke sends an event to the version and returns its result.
 * @throws Error when there are no samples, or a result is not the expected one.
 */
export const checkVersion = async (
  name: string,
  invoke: (event: unknown) => Promise<string>,
): Promise<void> => {
  const samples = releaseSamples[name];
  if (!samples) throw new Error(`The function "${name}" has no sample events.`);
  for (const { what, event, expected } of samples) {
    const payload = await invoke(event);
    if (expected.safeParse(read(payload)).success) continue;
    // A function's own error or status is in the beginning; no sample makes a function return anything confidential.
    throw new Error(`The sample event "${what}" of "${name}" got: ${payload.slice(0, 300)}`);
  }
};
