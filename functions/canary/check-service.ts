import * as z from "zod";
import { type BackendRequest, readBody, sendRequest } from "../../shared/platform/outbound/http-client.ts";
import { describeError, logger } from "../../shared/platform/telemetry/logger.ts";

/** What the canary works with. */
export interface CanaryDependencies {
  /** Where callers reach the service; no slash at the end. */
  readonly publicBaseUrl: string;
  /** A key that may translate; `undefined` when there is none. */
  readonly readKey: () => Promise<string | undefined>;
}

const responseMilliseconds = 20_000;
const maxBytes = 100_000;

const translation = z.object({ output: z.object({ translated_text: z.string().min(1) }) });

const ask = async (url: string, options: Partial<BackendRequest> = {}): Promise<string> => {
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
 * Does what a caller does: asks whether the service answers, and translates one word in the name of an operator's account,
 * where there is one. Nothing is registered, and nothing stays.
 *
 * @throws Error when the service does not answer as it should; `canary.failed` says why.
 */
export const checkService = async ({ publicBaseUrl, readKey }: CanaryDependencies): Promise<void> => {
  try {
    await ask(`${publicBaseUrl}/health`);
    const key = await readKey();
    if (!key) return;
    const body = JSON.stringify({ text: "water", source_language: "eng", target_language: "lug" });
    const response = await ask(`${publicBaseUrl}/tasks/translate`, {
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
