/**
 * Loads a bundle with a whole CPU, as Lambda starts a function, and answers one request with the share of a small one:
 * `serve-first-request.mjs <bundle> <event> <cgroup.procs>`. Prints the milliseconds of the request and its status.
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
// What the function has left under way when its start is over must not be done for free.
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
