/**
 * Loads a bundle with a whole CPU, as Lambda starts a function, and handles requests with the CPU share of a small one:
 * `serve-first-request.mjs <bundle> <event> <cgroup.procs> <times>`. Prints the milliseconds of each request, those from the start
 * of the process to its end, and its status.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { PassThrough } from "node:stream";

const [bundle, eventFile, processes, times] = process.argv.slice(2);
let status = 0;
globalThis.awslambda = {
  streamifyResponse: (handler) => handler,
  HttpResponseStream: {
    from: (stream, { statusCode }) => {
      status = statusCode;
      return stream;
    },
  },
};
const { handler } = await import(bundle);
const event = readFileSync(eventFile, "utf8");
const context = { getRemainingTimeInMillis: () => 30_000 };
const respond = async () => {
  if (handler.length === 3) {
    const stream = new PassThrough();
    stream.resume();
    await handler(JSON.parse(event), stream, context);
  } else {
    status = (await handler(JSON.parse(event), context)).statusCode;
  }
};
// Work that continues after the start must not be free.
writeFileSync(processes, String(process.pid));
const outcomes = [];
while (outcomes.length < Number(times)) {
  const startedAt = performance.now();
  await respond();
  const endedAt = performance.now();
  outcomes.push({ milliseconds: endedAt - startedAt, endedAtMilliseconds: endedAt, status });
}
process.stdout.write(JSON.stringify(outcomes), () => process.exit());
