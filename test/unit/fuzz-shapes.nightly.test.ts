import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { operations } from "../../functions/manifest.ts";
import { type Misbehaviour, misbehaviourFor } from "../fuzz/model-server.ts";
import { encodeBody, hostileBodies, type WireBody } from "../fuzz/request-bodies.ts";
import { fuzzRequests } from "../fuzz/requests.ts";

/** A request's body, as it goes over the wire, and to which operation. */
interface SentBody extends WireBody {
  readonly operationId: string;
  readonly text: string;
}

let bodies: readonly SentBody[];
beforeAll(async () => {
  const requests = fc.sample(fuzzRequests, { seed: 7, numRuns: 200 * operations.length });
  const sent = await Promise.all(
    requests.map(async ({ operation, body }): Promise<SentBody | undefined> => {
      if (!body) return undefined;
      const encoded = await encodeBody(operation.body?.encoding ?? "json", body.value);
      const wire = body.damage ? body.damage(encoded) : encoded;
      return { ...wire, operationId: operation.id, text: wire.bytes.toString("latin1") };
    }),
  );
  bodies = sent.filter((body) => body !== undefined);
});

const count = (has: (body: SentBody) => boolean): number => bodies.filter(has).length;

const isOverstated = ({ bytes }: SentBody, box: string): boolean => {
  const offset = bytes.indexOf(box, 0, "latin1");
  return offset > 0 && offset + 12 <= bytes.length && bytes.readUInt32BE(offset + 8) === 0xffffffff;
};

/** In a delivery, as the text of a message or as a person's name: JSON writes some of these characters as escapes. */
const inDelivery = (field: "body" | "name", characters: RegExp): number =>
  count(({ operationId, bytes }) => {
    if (operationId !== "receiveDelivery") return false;
    const values = [
      ...bytes.toString("utf8").matchAll(new RegExp(`"${field}":"((?:[^"\\\\]|\\\\.)*)"`, "g")),
    ];
    return values.some(([, value = ""]) => characters.test(value));
  });

describe("a fuzz run of some thousand requests", () => {
  it.each(Object.entries(hostileBodies))("sends %s", (_shape, write) => {
    const hostile = write();
    expect(count(({ text }) => text === hostile)).toBeGreaterThan(0);
  });

  it("sends bodies that gzip packed, whole, cut off, and of a kind that unpacks to a thousand times as much", () => {
    const packed = bodies.filter(({ contentEncoding }) => contentEncoding === "gzip");
    const unpacked = packed.map(({ bytes }) => {
      try {
        return gunzipSync(bytes).length / bytes.length;
      } catch {
        return "cut off";
      }
    });
    expect(unpacked).toContain("cut off");
    expect(unpacked.some((ratio) => typeof ratio === "number" && ratio < 100)).toBe(true);
    expect(unpacked.some((ratio) => typeof ratio === "number" && ratio > 500)).toBe(true);
  });

  it.each(["stco", "stsc"])(
    "sends MP4 files whose %s says that it has four thousand million entries",
    (box) => {
      expect(count((body) => isOverstated(body, box))).toBeGreaterThan(0);
    },
  );

  it.each([
    ["a message", "body"],
    ["a name", "name"],
  ] as const)("writes into %s what a queue refuses: U+FFFE, U+FFFF and halves of pairs", (_offset, field) => {
    expect(inDelivery(field, /\ufffe/)).toBeGreaterThan(0);
    expect(inDelivery(field, /\uffff/)).toBeGreaterThan(0);
    expect(inDelivery(field, /\\ud83d(?!\\udc00)/)).toBeGreaterThan(0);
    expect(inDelivery(field, /(?<!\\ud83d)\\udc00/)).toBeGreaterThan(0);
  });

  it.each([
    ["createV1ChatCompletion", /"tools":\[\{/],
    ["createV1ChatCompletion", /"type":"json_schema"/],
    ["createResponse", /"type":"function_call_output"/],
    ["createResponse", /"stream":true/],
  ])("asks %s with %s, in a form that it takes", (id, part) => {
    const operation = operations.find((one) => one.id === id);
    const accepted = bodies.filter(({ operationId, text }) => {
      if (operationId !== id || !part.test(text) || !text.startsWith("{")) return false;
      try {
        return operation?.body?.schema.safeParse(JSON.parse(text)).success;
      } catch {
        return false;
      }
    });
    expect(accepted.length).toBeGreaterThan(0);
  });

  it("meets a model's server that misbehaves in every way, and most times does not", () => {
    const met = new Map<Misbehaviour | undefined, number>();
    for (const { bytes } of bodies) {
      const misbehaviour = misbehaviourFor(bytes.toString("utf8"));
      met.set(misbehaviour, (met.get(misbehaviour) ?? 0) + 1);
    }
    expect([...met.keys()].filter((name) => name !== undefined).sort()).toEqual([
      "another protocol",
      "blank lines",
      "comments only",
      "one letter after the other",
    ]);
    expect(met.get(undefined)).toBeGreaterThan(bodies.length * 0.9);
  });
});
