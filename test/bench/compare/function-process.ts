/**
 * A bundled streaming function behind a small HTTP server that plays the Lambda runtime: each request becomes the event of
 * a function URL. A process of its own: `node function-process.ts <bundle>`, with the function's environment.
 */
import { createServer, type IncomingMessage } from "node:http";
import { pathToFileURL } from "node:url";
import { streamingRuntime } from "../../support/streaming-runtime.ts";
import { answerParent, listen } from "../child-process.ts";
import { startProfile, stopProfile } from "./cpu-profile.ts";

/** A function that does not log would win; the parent asks. */
let logLines = 0;
process.stdout.write = new Proxy(process.stdout.write, {
  apply: (write, stream, args) => {
    logLines += 1;
    return Reflect.apply(write, stream, args);
  },
});

Object.assign(globalThis, { awslambda: streamingRuntime });
const [bundle = ""] = process.argv.slice(2);
const { handler } = await import(pathToFileURL(bundle).href);

let requests = 0;

const eventOf = ({ method, url, headers }: IncomingMessage, body: string): string =>
  JSON.stringify({
    version: "2.0",
    routeKey: "$default",
    rawPath: url,
    rawQueryString: "",
    headers: {
      ...headers,
      "x-forwarded-for": "203.0.113.7",
      "x-forwarded-proto": "https",
      "x-forwarded-port": "443",
    },
    requestContext: {
      accountId: "anonymous",
      apiId: "bench",
      domainName: "bench.lambda-url.us-east-1.on.aws",
      domainPrefix: "bench",
      http: {
        method,
        path: url,
        protocol: "HTTP/1.1",
        sourceIp: "203.0.113.7",
        userAgent: headers["user-agent"],
      },
      requestId: `00000000-0000-4000-8000-${String(requests).padStart(12, "0")}`,
      routeKey: "$default",
      stage: "$default",
      time: "22/Nov/2026:00:00:00 +0000",
      timeEpoch: Date.now(),
    },
    body,
    isBase64Encoded: false,
  });

const timeLimitMilliseconds = 600_000;

const server = createServer((request, response) => {
  const pieces: Buffer[] = [];
  request.on("data", (piece: Buffer) => pieces.push(piece));
  request.on("end", () => {
    requests += 1;
    const deadline = Date.now() + timeLimitMilliseconds;
    // The runtime gets the event as text as well.
    const event: unknown = JSON.parse(eventOf(request, Buffer.concat(pieces).toString()));
    void handler(event, response, {
      awsRequestId: `00000000-0000-4000-9000-${String(requests).padStart(12, "0")}`,
      functionName: "chat",
      memoryLimitInMB: "512",
      callbackWaitsForEmptyEventLoop: true,
      getRemainingTimeInMillis: () => deadline - Date.now(),
    });
  });
});
answerParent(await listen(server), (message) => {
  switch (message.kind) {
    case "begin profile":
      return startProfile();
    case "end profile":
      return stopProfile();
    default:
      return { requests, logLines };
  }
});
