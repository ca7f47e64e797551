/**
 * Loads a bundle with a whole CPU, as Lambda starts a function, and handles one request with the CPU share of a small
 * one: `serve-first-request.mjs <bundle> <event> <cgroup.procs>`. Prints the milliseconds of the request and its
 * status.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { PassThrough } from "node:stream";

const [bundle, eventFile, processes] = process.argv.slice(2);
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
const event = JSON.parse(readFileSync(eventFile, "utf8"));
const context = { getRemainingTimeInMillis: () => 30_000 };
// Work that continues after the start must not be free.
writeFileSync(processes, String(process.pid));
const startedAt = performance.now();
if (handler.length === 3) {
  const stream = new PassThrough();
  stream.resume();
  await handler(event, stream, context);
} else {
  status = (await handler(event, context)).statusCode;
}
const milliseconds = performance.now() - startedAt;
process.stdout.write(JSON.stringify({ milliseconds, status }), () => process.exit());
