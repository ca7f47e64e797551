import type { ServerResponse } from "node:http";
import { sendStream } from "./send-stream.ts";

const headers = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" };

/**
 * Sends server-sent events, one `data:` line each, as they come; see `sendStream`.
 *
 * @param events makes the events, already serialised and without line breaks
 */
export async function sendEvents(
  response: ServerResponse,
  events: (clientGone: AbortSignal) => AsyncIterable<string>,
): Promise<void> {
  await sendStream(response, headers, (clientGone) => dataLines(events(clientGone)));
}

async function* dataLines(events: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const event of events) yield `data: ${event}\n\n`;
}
