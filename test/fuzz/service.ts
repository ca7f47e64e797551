import { readOptions } from "../../infra/commands/command-line.ts";
import { fuzz } from "./fuzz.ts";
import { startFuzzedService } from "./fuzzed-service.ts";
import { createFuzzer } from "./run-requests.ts";

/**
 * Sends requests to every route of the service, and stops at the first wrong response.
 *
 * node test/fuzz/service.ts --requests 100000 --seed 1
 */
const usage = `Usage: node test/fuzz/service.ts [--requests 100000] [--seed NUMBER]

Sends requests to every route of the service until the first wrong response.`;

const values = readOptions(usage, {
  requests: { type: "string", default: "100000" },
  seed: { type: "string", default: String(Date.now() % 2 ** 31) },
});

const roundRequests = 2_000;

const say = (text: string): boolean => process.stdout.write(`${text}\n`);

// A run may send some 10,000 requests a minute; an account of the widest tier may send 1,000.
const service = await startFuzzedService(16);
const fuzzer = createFuzzer(service);
const wanted = Number(values.requests);
say(`seed ${values.seed}`);
try {
  for (let round = 0; fuzzer.report.sent < wanted; round += 1) {
    await fuzz(fuzzer, Math.min(roundRequests, wanted - fuzzer.report.sent), Number(values.seed) + round);
    const { sent, slowest } = fuzzer.report;
    say(`${sent} requests; the slowest took ${Math.round(slowest.milliseconds)} ms (${slowest.route})`);
  }
  say(`ran: ${[...fuzzer.report.carriedOut].sort().join(" ")}`);
  say(JSON.stringify(Object.fromEntries([...fuzzer.report.responses].sort())));
} finally {
  await service.stop();
}
