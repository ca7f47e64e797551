import type { IncomingMessage } from "node:http";
import { createParser, type EventSourceMessage, type ParseError } from "eventsource-parser";
import { connectionFailure } from "../../outbound/http-client.ts";
import { unusable } from "./backend.ts";

/** A single event may be this long. How long a stream may be is nobody's business here. */
const maximumEventLength = 1024 * 1024;

/** A server that has sent its last event ends the answer at once; one that does not loses its connection. */
const endMilliseconds = 1_000;

/** Whether an event is the one that ends a stream of the OpenAI API; some servers put blanks around its word. */
const isLast = ({ data }: EventSourceMessage): boolean => data.trim() === "[DONE]";

/** Lets the rest of an answer pass unread, so that its connection can be used again. */
const release = (response: IncomingMessage): void => {
  const timer = setTimeout(() => response.destroy(), endMilliseconds);
  response.once("close", () => clearTimeout(timer));
  response.on("error", () => undefined);
  response.resume();
};

/** Cuts text into events. What is not an event (comments, unknown fields) is passed over, as the standard says. */
const createEventCutter = (): ((text: string) => EventSourceMessage[]) => {
  const events: EventSourceMessage[] = [];
  let failure: ParseError | undefined;
  const parser = createParser({
    maxBufferSize: maximumEventLength,
    onEvent: (event) => events.push(event),
    onError: (error) => {
      if (error.type === "max-buffer-size-exceeded") failure = error;
    },
  });
  return (text) => {
    parser.feed(text);
    if (failure) throw unusable("The model's server sent an event without end.", failure);
    return events.splice(0);
  };
};

/**
 * The server-sent events of an answer, in groups that arrived together, up to `[DONE]` or the end of the answer.
 *
 * While the reader is busy with a group, nothing is read. How long a group may be waited for is the reader's business: a
 * comment, or a part of an event, is no sign that one will come. Leaving the iteration early closes the connection.
 *
 * @throws what the answer is destroyed with, BackendUnreachable, or AppError `external_service_error` for an event that is too long.
 */
export async function* readEvents(
  response: IncomingMessage,
): AsyncGenerator<readonly EventSourceMessage[], void, undefined> {
  const cut = createEventCutter();
  // The socket's own time-out does not know whether the server is silent or its reader slow.
  response.setTimeout(0);
  response.setEncoding("utf8");
  let isOver = false;
  try {
    for await (const text of textOf(response)) {
      const events = cut(text);
      const last = events.findIndex(isLast);
      if (last >= 0) {
        isOver = true;
        if (last > 0) yield events.slice(0, last);
        return;
      }
      if (events.length > 0) yield events;
    }
    isOver = true;
    // Some servers forget the blank line after the last event.
    const events = cut("\n\n").filter((event) => !isLast(event));
    if (events.length > 0) yield events;
  } finally {
    if (isOver) release(response);
    else response.destroy();
  }
}

/** The pieces of a body whose encoding is set; the iteration leaves the response as it is. */
async function* textOf(response: IncomingMessage): AsyncGenerator<string, void, undefined> {
  try {
    yield* response.iterator({ destroyOnReturn: false });
  } catch (error) {
    throw connectionFailure(error);
  }
}
