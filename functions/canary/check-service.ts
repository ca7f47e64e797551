import * as z from "zod";
import { type BackendRequest, readBody, sendRequest } from "../../shared/platform/outbound/http-client.ts";
import { describeError, logger } from "../../shared/platform/telemetry/logger.ts";

/** What the canary needs. */
export interface CanaryDependencies {
  /** The public address of the service, without a slash at the end. */
  readonly publicBaseUrl: string;
  /** Returns a key with the scope `translate`, or `undefined`. */
  readonly readKey: () => Promise<string | undefined>;
}

const responseMilliseconds = 20_000;
const maxBytes = 100_000;

const translation = z.object({ output: z.object({ translated_text: z.string().min(1) }) });

const send = async (url: string, options: Partial<BackendRequest> = {}): Promise<string> => {
  const response = await sendRequest({
    url: new URL(url),
    method: "GET",
    headers: {},
    signal: AbortSignal.timeout(responseMilliseconds),
    silenceMilliseconds: undefined,
    ...options,
  });
  const { statusCode } = response;
  const body = await readBody(response, maxBytes);
  if (statusCode !== 200) throw new Error(`${new URL(url).pathname} returned status ${statusCode}.`);
  return body;
};

/**
 * Checks that the service responds, and that it translates one word for an operator's account, if there is a key for one.
 *
 * @throws Error when it does not; the log line `canary.failed` has the reason.
 */
export const checkService = async ({ publicBaseUrl, readKey }: CanaryDependencies): Promise<void> => {
  try {
    await send(`${publicBaseUrl}/health`);
    const key = await readKey();
    if (!key) return;
    const body = JSON.stringify({ text: "water", source_language: "eng", target_language: "lug" });
    const response = await send(`${publicBaseUrl}/tasks/translate`, {
      method: "POST",
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      body,
    });
    translation.parse(JSON.parse(response));
  } catch (error) {
    logger.error("canary.failed", { reason: describeError(error) });
    throw error;
  }
};
