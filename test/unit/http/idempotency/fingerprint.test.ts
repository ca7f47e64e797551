import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { operations } from "../../../../functions/manifest.ts";
import { fingerprintOf } from "../../../../shared/http/idempotency/fingerprint.ts";
import { willStream } from "../../../../shared/http/limit-requests.ts";
import { idempotencyOf, limitClassOf, type Operation } from "../../../../shared/http/operation.ts";
import "../../../support/property-seed.ts";

const key = "8e03978e";
const of = (content: unknown) => fingerprintOf(content, key);
const form = (content: string, filename = "a.wav") => ({
  language: "lug",
  audio: { filename, mimetype: "audio/wav", content: Buffer.from(content) },
});

describe("The fingerprint of a request", () => {
  it("does not depend on the order of its members", () => {
    expect(of({ text: "a", to: { x: 1, y: 2 } })).toBe(of({ to: { y: 2, x: 1 }, text: "a" }));
  });

  it("of a form depends on its fields and its files' bytes, with any file names", () => {
    expect(of(form("sound", "a.wav"))).toBe(of(form("sound", "other.wav")));
    expect(of(form("sound"))).not.toBe(of(form("noise")));
    expect(of(form("sound"))).not.toBe(of({ ...form("sound"), language: "ach" }));
  });

  it.each([
    [["a", "b"], ["ab"]],
    [[["a"], "b"], [["a", "b"]]],
    [{ a: "1" }, { a: 1 }],
    [{ a: undefined }, {}],
    [{ a: null }, { a: undefined }],
    [[{}], [[]]],
    [{ a: ["b"] }, { a: { 0: "b" } }],
    [Buffer.from("a"), { content: "a" }],
  ])("distinguishes %j and %j", (one, other) => {
    expect(of(one)).not.toBe(of(other));
  });

  it("is the same of two JSON values exactly if they are the same but for the order of members", () => {
    const inOrder = (_name: string, value: unknown): unknown =>
      typeof value === "object" && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
        : value;
    const canonical = (value: unknown) => JSON.stringify(value, inOrder);
    const small = fc.jsonValue({ maxDepth: 2 });
    fc.assert(
      fc.property(small, small, (one, other) => {
        expect(of(one) === of(other)).toBe(canonical(one) === canonical(other));
        expect(of(JSON.parse(canonical(one)))).toBe(of(JSON.parse(JSON.stringify(one))));
      }),
    );
  });

  it("is found of a body that is as deep as one may be", () => {
    let deep: unknown = "end";
    for (let depth = 0; depth < 20_000; depth += 1) deep = [deep];
    expect(of(deep)).not.toBe(of([deep]));
  });

  it("cannot be found again without the caller's key", () => {
    expect(fingerprintOf({ text: "a" }, "one")).not.toBe(fingerprintOf({ text: "a" }, "another"));
  });
});

describe("An Idempotency-Key", () => {
  it("counts at every POST of a task with a token, unless its responses always stream", () => {
    const taking = operations.filter((operation: Operation) => idempotencyOf(operation) === "replay");
    const posts = operations.filter(
      ({ method, path, auth }: Operation) =>
        method === "POST" && auth === "user" && (path.startsWith("/tasks/") || path.startsWith("/v1/")),
    );
    expect(posts.length).toBeGreaterThan(5);
    const named = (some: readonly Operation[]) => some.map(({ id }) => id);
    const once = posts.filter(
      (operation) => operation.streams !== "always" && limitClassOf(operation) === "task",
    );
    expect(named(taking)).toEqual(expect.arrayContaining(named(once)));
    expect(taking.filter(({ method }) => method !== "POST")).toEqual([]);
  });

  it.each([
    ["createChatCompletion", { stream: true, messages: [] }, true],
    ["createChatCompletion", { stream: false, messages: [] }, false],
    ["createChatCompletion", { messages: [{ role: "user", content: '{"stream": true}' }] }, false],
    ["createChatCompletion", { messages: [{ role: "user", content: "a", stream: true }] }, false],
    ["synthesizeSpeech", { text: "a", response_mode: "both" }, true],
    ["synthesizeSpeech", { text: "a", response_mode: "url" }, false],
    ["synthesizeSpeech", { text: '"response_mode":"stream"' }, false],
    ["createV1Transcription", { model: "stt-51", stream: "True" }, true],
    ["createV1Transcription", { model: "stt-51", stream: "false" }, false],
    ["createV1Transcription", { model: "stt-51", prompt: "name=stream" }, false],
    ["translate", { stream: true }, false],
  ])("of %s with %j is ignored: %s", (id, body, expected) => {
    const operation = operations.find((each) => each.id === id);
    expect(operation && willStream(operation, body)).toBe(expected);
  });
});
