import { gunzipSync } from "node:zlib";
import { describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { LogFeed } from "../src/lambda/log-subscription.ts";
import { readFilterPattern } from "../src/template/filter-pattern.ts";

const batch = z
  .object({ awslogs: z.object({ data: z.base64() }) })
  .transform(({ awslogs: { data } }) =>
    z
      .object({ logGroup: z.string(), logEvents: z.array(z.object({ message: z.string() })) })
      .parse(JSON.parse(gunzipSync(Buffer.from(data, "base64")).toString())),
  );

describe("a filter pattern", () => {
  it.each([
    ['{ $.message = "done" }', '{"message":"done"}', true],
    ['{ $.message = "done" }', '{"message":"doing"}', false],
    ['{ $.message = "done" }', "done", false],
    ['{ $.message = "done" }', '{"message":"done"', false],
    ['{ $.message != "done" }', '{"message":"doing"}', true],
    ['{ $.message != "done" }', "{}", false],
    ['{ ($.message = "done") && ($.account > 0) }', '{"message":"done","account":7}', true],
    ['{ ($.message = "done") && ($.account > 0) }', '{"message":"done","account":0}', false],
    ['{ ($.message = "done") && ($.account > 0) }', '{"message":"done"}', false],
    ["{ $.status >= 500 }", '{"status":500}', true],
    ["{ $.status >= 500 }", '{"status":"500"}', false],
  ])("%s, for %s: %s", (pattern, line, matches) => {
    expect(readFilterPattern(pattern)?.(line)).toBe(matches);
  });

  it.each(["", "ERROR", "{ $.a = b* }", "{ $.a = 1 || $.b = 2 }", "{ $.a NOT EXISTS }", "[ip, user]"])(
    "of a form that is not served is refused: %s",
    (pattern) => {
      expect(readFilterPattern(pattern)).toBeUndefined();
    },
  );
});

describe("a subscription", () => {
  const start = (
    invoke: (name: string, event: unknown) => Promise<{ kind: "buffered"; payload: Buffer }>,
  ) => {
    const log: string[] = [];
    const subscription = {
      logicalId: "Feed",
      logGroup: "group",
      functionName: "reader",
      matches: (line: string) => line.startsWith("{"),
    };
    return { log, feed: new LogFeed({ subscription, lambda: { invoke }, log: (line) => log.push(line) }) };
  };

  it("sends the matching lines to its function, in order, as CloudWatch does", async () => {
    const received: unknown[] = [];
    const { feed } = start(async (name, event) => {
      received.push([name, batch.parse(event)]);
      return { kind: "buffered", payload: Buffer.from("null") };
    });
    for (const line of ["{1}", "other", "{2}"]) feed.take(line);
    await vi.waitFor(() => expect(received).toHaveLength(1));
    const logEvents = [
      expect.objectContaining({ message: "{1}" }),
      expect.objectContaining({ message: "{2}" }),
    ];
    expect(received).toEqual([["reader", { logGroup: "group", logEvents }]]);
    feed.take("{3}");
    await vi.waitFor(() => expect(received).toHaveLength(2));
  });

  it("reports a failure, and continues with later lines", async () => {
    let invocations = 0;
    const { feed, log } = start(async () => {
      invocations += 1;
      if (invocations === 1) throw new Error("no function");
      return { kind: "buffered", payload: Buffer.from("null") };
    });
    feed.take("{1}");
    await vi.waitFor(() => expect(log).toEqual(["Feed could not be delivered: no function"]));
    feed.take("{2}");
    await vi.waitFor(() => expect(invocations).toBe(2));
  });

  it("sends nothing once it is closed", async () => {
    const invoke = vi.fn();
    const { feed } = start(invoke);
    feed.take("{1}");
    feed.close();
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(invoke).not.toHaveBeenCalled();
  });
});
