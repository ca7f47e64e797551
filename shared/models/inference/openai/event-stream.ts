import { createParser, type EventSourceMessage, type ParseError } from "eventsource-parser";
import { unusable } from "./backend.ts";

/** The maximum length of a single event. The length of a stream is not limited here. */
const maxEventLength = 1024 * 1024;

/** Whether an event is the one that ends a stream of the OpenAI API; some servers write its word in another way. */
const isLast = ({ data }: EventSourceMessage): boolean =>
  data.length < 16 && /^"?\[done\]"?$/i.test(data.trim());

/** Where an event ends. Lines may also end with a single CR; of such a stream, several events are cut at a time. */
const blankLine = /\r?\n\r?\n/g;

/** A JSON string (RFC 8259, section 7); it contains no line break. */
const literal = /"[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[ !#-[\]-\uffff]*)*"/y;

const readLiteral = (text: string, start: number, end: number): string =>
  text.slice(start, end).includes("\\") ? JSON.parse(text.slice(start, end)) : text.slice(start + 1, end - 1);

/** The text of an event around the one string in which it differs from others. */
interface EventTemplate {
  readonly before: string;
  readonly after: string;
}

/** After this many templates that matched no event, a server is assumed to write each event differently. */
const templatesTried = 3;

/** Handles a stream's events, in order. */
export interface EventReader {
  /** Reads an event. @returns its content, when it says nothing else that could differ from the next. */
  onEvent(event: EventSourceMessage): string | undefined;
  /** The content that `onEvent` would return for this data, without any effect; never throws. */
  contentOf(data: string): string | undefined;
  /** Takes the content of an event that equals an earlier one in everything else. */
  onContent(content: string): void;
}

/**
 * Splits a stream of server-sent events, cut anywhere, up to `[DONE]`. Ignores anything else (comments, unknown
 * fields), as the standard says.
 *
 * A model's server sends hundreds of events that differ only in their content. So the text around the content of a
 * parsed event is remembered, and in an event with the same text around a string only that string is parsed. This
 * works for any field names. All other events are parsed as a whole.
 */
export class EventStream {
  readonly #reader: EventReader;
  readonly #parser: ReturnType<typeof createParser>;
  #events: EventSourceMessage[] = [];
  #failure: ParseError | undefined;
  #isOver = false;
  /** Whether the text so far ends with an event, so a template can be tried on what follows. */
  #isBetweenEvents = true;
  #template: EventTemplate | undefined;
  #unusedTemplates = 0;

  constructor(reader: EventReader) {
    this.#reader = reader;
    this.#parser = createParser({
      maxBufferSize: maxEventLength,
      onEvent: (event) => this.#events.push(event),
      onError: (error) => {
        if (error.type === "max-buffer-size-exceeded") this.#failure = error;
      },
    });
  }

  /** Whether the last event of the stream has arrived; anything after it is ignored. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** @throws what the reader throws, or AppError `external_service_error` for an event that is too long, which ends the stream. */
  read(text: string): void {
    let position = 0;
    while (position < text.length && !this.#isOver) {
      position = this.#readContent(text, position) ?? this.#readEvents(text, position);
    }
  }

  /** Reads the last event of a stream that has ended: some servers forget the blank line after it. */
  end(): void {
    this.read("\n\n");
  }

  #readContent(text: string, position: number): number | undefined {
    const template = this.#template;
    if (!template || !this.#isBetweenEvents || !text.startsWith(template.before, position)) return undefined;
    const start = position + template.before.length;
    literal.lastIndex = start;
    if (!literal.test(text)) return undefined;
    const end = literal.lastIndex;
    if (!text.startsWith(template.after, end)) return undefined;
    this.#unusedTemplates = 0;
    this.#reader.onContent(readLiteral(text, start, end));
    return end + template.after.length;
  }

  #readEvents(text: string, position: number): number {
    blankLine.lastIndex = position;
    const wasBetweenEvents = this.#isBetweenEvents;
    this.#isBetweenEvents = blankLine.test(text);
    const end = this.#isBetweenEvents ? blankLine.lastIndex : text.length;
    const part = text.slice(position, end);
    const events = this.#parse(part);
    for (const event of events) {
      this.#isOver = isLast(event);
      if (this.#isOver) return end;
      const content = this.#reader.onEvent(event);
      if (content && wasBetweenEvents && events.length === 1) this.#learn(part, event.data, content);
    }
    return end;
  }

  #parse(text: string): readonly EventSourceMessage[] {
    this.#parser.feed(text);
    if (this.#failure) {
      this.#isOver = true;
      throw unusable("The model's server sent an event that is too long.", this.#failure);
    }
    const events = this.#events;
    if (events.length > 0) this.#events = [];
    return events;
  }

  #learn(part: string, data: string, content: string): void {
    if (this.#unusedTemplates >= templatesTried) return;
    this.#unusedTemplates += 1;
    this.#template = this.#findTemplate(part, data, content);
  }

  /**
   * The position of the content is verified: the event with another content in that position must have that content.
   */
  #findTemplate(part: string, data: string, content: string): EventTemplate | undefined {
    const dataStart = part.indexOf(data);
    for (const { index } of dataStart < 0 ? [] : data.matchAll(/"/g)) {
      literal.lastIndex = index;
      if (!literal.test(data) || readLiteral(data, index, literal.lastIndex) !== content) continue;
      const before = data.slice(0, index);
      const after = data.slice(literal.lastIndex);
      const other = `${content}?`;
      if (this.#reader.contentOf(before + JSON.stringify(other) + after) !== other) continue;
      const rest = part.slice(dataStart + data.length);
      return { before: part.slice(0, dataStart) + before, after: after + rest };
    }
    return undefined;
  }
}
