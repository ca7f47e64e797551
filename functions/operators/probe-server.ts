import { readBytes, sendRequest } from "../../shared/platform/outbound/http-client.ts";

/** How long a server may take: its list of models needs no model. */
const maxMilliseconds = 3_000;

const maxBytes = 1_000_000;

/** How a server responds to a request for its list of models. */
export interface Probe {
  /** `undefined` without a response in time. */
  readonly status: number | undefined;
  readonly milliseconds: number;
}

/**
 * Requests the list of models of a server (`/v1/models`). Never throws.
 *
 * @param baseUrl with the `/v1` at its end.
 */
export const probeServer = async (
  baseUrl: string,
  apiKey: () => Promise<string | undefined>,
): Promise<Probe> => {
  const startedAt = performance.now();
  const url = new URL(baseUrl);
  url.pathname = `${url.pathname.replace(/\/+$/, "")}/models`;
  let status: number | undefined;
  try {
    const key = await apiKey();
    const response = await sendRequest({
      url,
      method: "GET",
      headers: { Accept: "application/json", ...(key ? { Authorization: `Bearer ${key}` } : {}) },
      signal: AbortSignal.timeout(maxMilliseconds),
      silenceMilliseconds: maxMilliseconds,
    });
    await readBytes(response, maxBytes);
    status = response.statusCode;
  } catch {
    // The page shows that there was no response.
  }
  return { status, milliseconds: Math.round(performance.now() - startedAt) };
};
