import { StringDecoder } from "node:string_decoder";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EventStream } from "../../../../shared/models/inference/openai/event-stream.ts";

/** The data of the events in a body that arrives in pieces, in the groups that they come in. */
const readGroups = async (pieces: readonly Uint8Array[]): Promise<string[][]> => {
  const decoder = new StringDecoder("utf8");
  let group: string[] = [];
  const stream = new EventStream({
    onEvent: ({ data }) => {
      group.push(data);
      return undefined;
    },
    contentOf: () => undefined,
    onContent: (content) => group.push(content),
  });
  const groups: string[][] = [];
  const take = (): void => {
    if (group.length > 0) groups.push(group);
    group = [];
  };
  for (const piece of pieces) {
    stream.read(decoder.write(Buffer.from(piece)));
    take();
  }
  stream.end();
  take();
  return groups;
};

const read = async (pieces: readonly Uint8Array[]): Promise<string[]> => (await readGroups(pieces)).flat();

const body = (text: string): Uint8Array[] => [Buffer.from(text)];

describe("server-sent events", () => {
  it("end with [DONE], even if more follows", async () => {
    expect(await read(body("data: a\n\ndata: [DONE]\n\ndata: b\n\n"))).toEqual(["a"]);
    expect(await read(body("data: [DONE]\n\n"))).toEqual([]);
    expect(await read(body("data: a\n\ndata:  [DONE] \n\ndata: b\n\n"))).toEqual(["a"]);
    expect(await read(body("data: a\n\ndata:\t[DONE]"))).toEqual(["a"]);
  });

  it("come in the groups that arrived together, of which none is empty", async () => {
    const pieces = ["data: a\n\ndata: b\n\n", ": a comment\n\n", "data: c\n\n", "data: [DONE]\n\n"];
    expect(await readGroups(pieces.map((piece) => Buffer.from(piece)))).toEqual([["a", "b"], ["c"]]);
    expect(await readGroups(body(": a comment\n\n"))).toEqual([]);
  });

  it("may come without the blank line after the last one", async () => {
    expect(await read(body("data: a\n\ndata: b"))).toEqual(["a", "b"]);
    expect(await read(body("data: a\n\ndata: [DONE]"))).toEqual(["a"]);
  });

  it("may be long, but not without end", async () => {
    const long = "x".repeat(1_000_000);
    expect(await read(body(`data: ${long}\n\ndata: ${long}\n\n`))).toEqual([long, long]);
    await expect(read(body(`data: ${long}${long}`))).rejects.toMatchObject({
      code: "external_service_error",
    });
    const lines = `data: ${"x".repeat(1_000)}\n`.repeat(1_100);
    await expect(read(body(lines))).rejects.toMatchObject({ code: "external_service_error" });
  });

  it("are the same however their bytes are cut and their lines end", async () => {
    const text =
      ': hello\nid: 1\nretry: 10\nunknown\ndata: {"a":"Ŋŋ 😀"}\n\ndata:two\ndata: lines\n\n: ping\n\n';
    const cuts = fc.array(fc.nat({ max: text.length + 20 }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom("\n", "\r\n", "\r"), cuts, async (lineEnd, offsets) => {
        const bytes = Buffer.from(text.replaceAll("\n", lineEnd));
        const sorted = [0, ...offsets.toSorted((a, b) => a - b)];
        const pieces = sorted.map((start, index) => bytes.subarray(start, sorted[index + 1]));
        expect(await read(pieces)).toEqual(['{"a":"Ŋŋ 😀"}', "two\nlines"]);
      }),
      { numRuns: 300 },
    );
  });
});
