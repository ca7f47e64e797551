import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { operations } from "../../functions/manifest.ts";
import { fuzz, fuzzEach } from "../fuzz/fuzz.ts";
import { type FuzzedService, startFuzzedService } from "../fuzz/fuzzed-service.ts";
import { createFuzzer } from "../fuzz/run-requests.ts";
import { endurance } from "../support/endurance.ts";
import { propertySeed } from "../support/property-seed.ts";

const requestsOfEach = 4;
const requestCount = endurance(requestsOfEach * operations.length, 2_000);

let service: FuzzedService;
beforeAll(async () => {
  service = await startFuzzedService(6);
}, 120_000);
afterAll(async () => {
  await service.stop();
});

describe("the service", () => {
  it("responds to requests from valid to absurd as its operations declare", async () => {
    const fuzzer = createFuzzer(service);
    const send = endurance(
      () => fuzzEach(fuzzer, requestsOfEach, propertySeed),
      () => fuzz(fuzzer, requestCount, propertySeed),
    );
    await send();
    const { responses, routes, sent } = fuzzer.report;
    expect(sent).toBe(requestCount);
    expect([...routes].sort()).toEqual(operations.map(({ id }) => id).sort());
    // Requests that never get past a limit, or are never right, would prove nothing.
    const limited = [...responses]
      .filter(([key]) => key.endsWith(" 429"))
      .reduce((sum, [, count]) => sum + count, 0);
    expect(limited).toBeLessThan(sent / 20);
    expect(responses.get("valid 200")).toBeGreaterThan(sent / 10);
    expect(responses.get("near-valid 422")).toBeGreaterThan(sent / 10);
  }, 300_000);
});
