/** Replaces `socket-exchange.ts` in a bundle, over `node:http`. */
import { readBody, sendRequest } from "../../../shared/platform/outbound/http-client.ts";
import type { WholeResponse } from "../../../shared/platform/outbound/read-response.ts";
import type { SocketExchange } from "../../../shared/platform/outbound/socket-exchange.ts";

/** Posts a text and reads the whole response. Here `milliseconds` limits each silence instead of the whole exchange. */
export const exchangeOverSocket = async (exchange: SocketExchange): Promise<WholeResponse> => {
  const { url, headers, body, signal, milliseconds, maxBytes, onSent } = exchange;
  const response = await sendRequest({
    url,
    method: "POST",
    headers,
    body,
    signal,
    silenceMilliseconds: milliseconds,
    onSent,
  });
  return { statusCode: response.statusCode ?? 0, body: await readBody(response, maxBytes) };
};
