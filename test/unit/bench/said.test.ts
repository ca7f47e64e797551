import { describe, expect, it } from "vitest";
import { streamFrames, wholeBody, wholeReply } from "../../bench/compare/model-responses.ts";
import { saidInStream, saidWhole } from "../../bench/compare/said.ts";

const stream = (frames: readonly string[]): string => [streamFrames.role, ...frames].join("");

describe("what a gateway passes on of a whole response", () => {
  it("is the same when it adds fields of its own, or has another id", () => {
    const changed = JSON.stringify({ ...JSON.parse(wholeBody), id: "another", provider: "a gateway" });
    expect(saidWhole(changed)).toEqual(saidWhole(wholeBody));
  });

  it.each([
    ["text", wholeBody.replace(wholeReply, wholeReply.slice(1))],
    ["token count", wholeBody.replace('"completion_tokens":120', '"completion_tokens":119')],
    ["reason of its end", wholeBody.replace('"finish_reason":"stop"', '"finish_reason":"length"')],
  ])("is not the same with another %s", (_what, changed) => {
    expect(saidWhole(changed)).not.toEqual(saidWhole(wholeBody));
  });
});

describe("what a gateway passes on of a stream", () => {
  const whole = stream([streamFrames.token, streamFrames.token, streamFrames.end(2)]);

  it("is the same without the chunk of token counts, which not every caller gets", () => {
    const counted = /^data: \{[^\n]*"usage":\{[^\n]*\n\n/m;
    expect(counted.test(whole)).toBe(true);
    expect(saidInStream(whole.replace(counted, ""))).toEqual(saidInStream(whole));
  });

  it("is not the same when a token is missing, or two come as one", () => {
    expect(saidInStream(stream([streamFrames.token, streamFrames.end(1)]))).not.toEqual(saidInStream(whole));
    const joined = stream([streamFrames.token.replace(" amazzi", " amazzi amazzi"), streamFrames.end(2)]);
    expect(saidInStream(joined)).not.toEqual(saidInStream(whole));
  });
});
