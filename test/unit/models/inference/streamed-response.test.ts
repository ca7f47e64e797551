import { StringDecoder } from "node:string_decoder";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { StreamedResponse } from "../../../../shared/models/inference/openai/streamed-response.ts";
import { ThoughtFilter } from "../../../../shared/models/inference/openai/thinking.ts";
import { AppError } from "../../../../shared/platform/errors/app-error.ts";

/** What a caller gets of a reply: its text, how it ended, and the code of the failure that ended it instead. */
interface Read {
  readonly text: string;
  readonly finish: string | undefined;
  readonly usage: unknown;
  readonly failure: string | undefined;
}

const read = (pieces: readonly Uint8Array[]): Read => {
  const response = new StreamedResponse({ thinksFirst: false });
  const decoder = new StringDecoder("utf8");
  const events: { type: string; text?: string; finishReason?: string; usage?: unknown }[] = [];
  let failure: string | undefined;
  try {
    for (const piece of pieces) {
      if (response.isOver) break;
      response.read(decoder.write(Buffer.from(piece)));
      events.push(...(response.take() ?? []));
    }
    if (!response.isOver) response.readEnd();
    events.push(...(response.take() ?? []), ...response.end());
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    events.push(...(response.take() ?? []));
    failure = error.code;
  }
  return {
    text: events.map(({ text }) => text ?? "").join(""),
    finish: events.find(({ type }) => type === "finish")?.finishReason,
    usage: events.find(({ type }) => type === "usage")?.usage,
    failure,
  };
};

/** The same, read from the whole stream event by event: nothing is remembered, nothing is cut. */
const readPlainly = (stream: string): Read => {
  const filter = new ThoughtFilter();
  let text = "";
  let finish: string | undefined;
  let usage: unknown;
  const failed = (): Read => ({
    text,
    finish: undefined,
    usage: undefined,
    failure: "external_service_error",
  });
  for (const event of `${stream}\n\n`.replaceAll(/\r\n?/g, "\n").split("\n\n")) {
    const lines = event.split("\n");
    const data = lines
      .filter((line) => line.startsWith("data:"))
      .map((line) => line.slice("data:".length).replace(/^ /, ""))
      .join("\n");
    if (data === "") continue;
    if (data.trim() === "[DONE]") break;
    if (lines.includes("event: error")) return failed();
    try {
      const chunk = JSON.parse(data);
      if (chunk.error) return failed();
      usage = chunk.usage ?? usage;
      const choice = chunk.choices.find(({ index }: { index: number }) => index === 0);
      text += filter.push(choice?.delta.content ?? "");
      finish = choice?.finish_reason ?? finish;
    } catch {
      if (finish === undefined) return failed();
    }
  }
  if (finish === undefined) return failed();
  text += filter.end(finish === "length");
  return text.trim() === "" ? failed() : { text, finish, usage, failure: undefined };
};

const words = [
  " amazzi",
  "content",
  "choices",
  "delta",
  '"',
  "\\",
  "\n",
  "\n\n",
  "\r",
  "\t\u0001",
  "Ŋŋ",
  "😀",
  "\ud83d",
  "\u2028",
  "data: ",
  "[DONE]",
  '"},"logprobs":null',
  "<think>",
  "</think>",
  "<thi",
  "nk>",
  "<|channel|>analysis",
  "?",
  "",
];

/** How servers write a chunk with a piece of the reply. */
const styles: readonly ((content: string, number: number) => string)[] = [
  (content) =>
    `{"id":"c-1","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{"content":${JSON.stringify(content)}},"logprobs":null,"finish_reason":null}]}`,
  // Python's json.dumps, which escapes what is not ASCII
  (content) =>
    `{"choices": [{"delta": {"role": "assistant", "content": ${JSON.stringify(content).replaceAll(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)}}, "index": 0, "finish_reason": null}], "usage": null}`,
  // Another field differs each time, or now and then
  (content, number) =>
    JSON.stringify({ created: number, choices: [{ index: 0, delta: { content }, finish_reason: null }] }),
  (content, number) =>
    JSON.stringify({
      created: Math.floor(number / 4),
      choices: [{ index: 0, delta: { content }, logprobs: { content: [{ token: content }] } }],
    }),
  // The content occurs more than once, also as a name and in another choice
  (content) =>
    JSON.stringify({
      content: "content",
      model: content,
      choices: [
        { index: "1", delta: { content } },
        { index: 0, delta: { content } },
      ],
    }),
  // Another string is now and then the same as the content
  (content, number) =>
    JSON.stringify({ token: words[number % 2], choices: [{ index: 0, delta: { content } }] }),
  (content) => `{"choices":[{"index":0,"delta":{"content":"no","content":${JSON.stringify(content)}}}]}`,
];

interface Server {
  readonly style: (content: string, number: number) => string;
  readonly lineEnd: string;
  readonly field: string;
}

type Part = (server: Server, number: number) => string;
const event =
  (data: (server: Server, number: number) => string): Part =>
  (server, number) =>
    `${server.field}${data(server, number)}\n\n`;

const content = fc
  .oneof(
    { weight: 4, arbitrary: fc.constantFrom(...words.slice(0, 2)) },
    { weight: 6, arbitrary: fc.constantFrom(...words) },
    { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 6 }) },
  )
  .map((text) => event(({ style }, number) => style(text, number)));

const other = fc.constantFrom<Part>(
  () => ": keep-alive\n\n",
  () => "id: 7\nretry: 10\n",
  () => "\n",
  event(() => '{"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}'),
  event(() => '{"choices":[{"index":0,"delta":{"reasoning_content":"Hmm"},"finish_reason":null}]}'),
  event(() => '{"choices":[{"index":1,"delta":{"content":"Gyebale"},"finish_reason":"stop"}]}'),
  event(
    () =>
      '{"choices":[{"index":0,"delta":{"content":"x"}}],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}',
  ),
);

const rare = fc.constantFrom<Part>(
  event(() => '{"error":{"message":"CUDA"}}'),
  event(() => '{"choices":[{"index":0,"delta":{"content":"x"}}],"error":{"code":502}}'),
  event(() => '{"choices":['),
  event(() => "[DONE]"),
  () => "event: error\ndata: CUDA\n\n",
  // Followed by any event
  () => "event: error\n",
);

const ending = fc.constantFrom<Part>(
  event(() => '{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}'),
  event(() => '{"choices":[{"index":0,"delta":{"content":"!"},"finish_reason":"length"}]}'),
  () => "",
);

const parts = fc
  .tuple(
    fc.array(
      fc.oneof(
        { weight: 20, arbitrary: content },
        { weight: 3, arbitrary: other },
        { weight: 1, arbitrary: rare },
      ),
      {
        maxLength: 24,
      },
    ),
    ending,
    fc.constantFrom<Part>(
      event(() => "[DONE]"),
      () => "",
      ({ field }) => `${field}[DONE]`,
    ),
  )
  .map(([middle, end, last]) => [...middle, end, last]);

const server: fc.Arbitrary<Server> = fc.record({
  style: fc.constantFrom(...styles),
  lineEnd: fc.constantFrom("\n", "\r\n", "\r"),
  field: fc.constantFrom("data: ", "data:"),
});

describe("a streamed reply", () => {
  it("reads as an event-by-event reading of the whole stream does, however its bytes are cut", () => {
    fc.assert(
      fc.property(
        parts,
        server,
        fc.array(fc.nat({ max: 4_000 }), { maxLength: 12 }),
        fc.boolean(),
        (output, from, cuts, isCutByEvent) => {
          const texts = output.map((part, number) => part(from, number).replaceAll("\n", from.lineEnd));
          const bytes = Buffer.from(texts.join(""));
          const offsets = [0, ...cuts.filter((cut) => cut < bytes.length).toSorted((a, b) => a - b)];
          const cutAnywhere = offsets.map((start, index) => bytes.subarray(start, offsets[index + 1]));
          const pieces = isCutByEvent ? texts.map((text) => Buffer.from(text)) : cutAnywhere;
          expect(read(pieces)).toEqual(readPlainly(texts.join("")));
        },
      ),
      { numRuns: 3_000 },
    );
  });

  const stream = (style: (typeof styles)[number], lineEnd: string): Buffer => {
    const end = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n';
    const chunks = Array.from(
      { length: 200 },
      (_, number) => `data: ${style(` amazzi${number}`, number)}\n\n`,
    );
    return Buffer.from([...chunks, end, "data: [DONE]\n\n"].join("").replaceAll("\n", lineEnd));
  };

  it.each([
    ["of LF", "\n", 0],
    ["of CRLF", "\r\n", 0],
    ["of LF, with blanks and after the role", "\n", 1],
    ["of LF, with the content in several positions", "\n", 6],
  ])("of which all chunks are alike has few of them parsed, with line ends %s", (_case, lineEnd, style) => {
    const chosen = styles[style];
    if (!chosen) throw new Error("There is no such style.");
    const bytes = stream(chosen, lineEnd);
    const parse = vi.spyOn(JSON, "parse");
    try {
      const { text, finish } = read([bytes.subarray(0, 3_000), bytes.subarray(3_000)]);
      expect(text).toBe(Array.from({ length: 200 }, (_, number) => ` amazzi${number}`).join(""));
      expect(finish).toBe("stop");
      expect(parse.mock.calls.length).toBeLessThan(12);
    } finally {
      parse.mockRestore();
    }
  });

  it("of which no chunk is like another is not compared with them for ever", () => {
    const bytes = stream((text, number) => styles[2]?.(text, number) ?? "", "\n");
    const parse = vi.spyOn(JSON, "parse");
    try {
      expect(read([bytes]).finish).toBe("stop");
      expect(parse.mock.calls.length).toBeLessThan(215);
    } finally {
      parse.mockRestore();
    }
  });
});
