import { fuzz } from "./fuzz.ts";
import { startFuzzedService } from "./fuzzed-service.ts";
import { createFuzzer } from "./run-requests.ts";

const roundRequests = 2_000;

const say = (text: string): boolean => process.stdout.write(`${text}\n`);

/** Sends requests to every route of the service, and stops at the first wrong response. */
export const fuzzService = async (requests: number, seed: number): Promise<void> => {
  // A run may send some 10,000 requests a minute; an account of the widest tier may send 1,000.
  const service = await startFuzzedService(16);
  const fuzzer = createFuzzer(service);
  try {
    for (let round = 0; fuzzer.report.sent < requests; round += 1) {
      await fuzz(fuzzer, Math.min(roundRequests, requests - fuzzer.report.sent), seed + round);
      const { sent, slowest } = fuzzer.report;
      say(`${sent} requests; the slowest took ${Math.round(slowest.milliseconds)} ms (${slowest.route})`);
    }
    say(`ran: ${[...fuzzer.report.carriedOut].sort().join(" ")}`);
    say(JSON.stringify(Object.fromEntries([...fuzzer.report.responses].sort())));
  } finally {
    await service.stop();
  }
};
