/**
 * Runs a bundled streaming function as Lambda's runtime for Node does, in its own process: `node function-process.ts
 * <bundle>`, with the function's environment.
 *
 * The load generator plays AWS: the body of each request is an event as text with the Runtime API's headers, and the
 * response is what the runtime posts back. So work that AWS does outside of the process is not counted, and work of
 * its runtime inside the process is.
 */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { pathToFileURL } from "node:url";
import { listen, serveParent } from "../child-process.ts";
import { startProfile, stopProfile } from "./cpu-profile.ts";

/** A function that does not log would win; the parent asks. */
let logLines = 0;
const writeLog = process.stdout.write.bind(process.stdout);
process.stdout.write = (line: string | Uint8Array): boolean => {
  logLines += 1;
  return writeLog(line);
};

/** A response stream as the runtime client passes it to functions; `from` sets what its first write sends ahead. */
type FunctionStream = ServerResponse & { prelude?: string | undefined };

Object.assign(globalThis, {
  awslambda: {
    streamifyResponse: <Handler>(handler: Handler): Handler => handler,
    HttpResponseStream: {
      from: (stream: FunctionStream, metadata: object): FunctionStream => {
        stream.setHeader("Content-Type", "application/vnd.awslambda.http-integration-response");
        stream.prelude = JSON.stringify(metadata);
        return stream;
      },
    },
  },
});

const preludeEnd = new Uint8Array(8);

const sendPreludeFirst = (stream: FunctionStream): void => {
  const write = stream.write.bind(stream);
  stream.write = (chunk: string | Uint8Array): boolean => {
    if (stream.prelude !== undefined) {
      write(stream.prelude);
      write(preludeEnd);
      // Deleted, it would leave the object in a form that is slow to work with.
      stream.prelude = undefined;
    }
    return write(chunk);
  };
};

const contextOf = (headers: IncomingHttpHeaders) => {
  const deadline = Number(headers["lambda-runtime-deadline-ms"]);
  return {
    clientContext: undefined,
    identity: undefined,
    tenantId: undefined,
    invokedFunctionArn: headers["lambda-runtime-invoked-function-arn"],
    awsRequestId: headers["lambda-runtime-aws-request-id"],
    xRayTraceId: headers["lambda-runtime-trace-id"],
    getRemainingTimeInMillis: () => deadline - Date.now(),
    functionName: process.env["AWS_LAMBDA_FUNCTION_NAME"],
    functionVersion: process.env["AWS_LAMBDA_FUNCTION_VERSION"],
    memoryLimitInMB: process.env["AWS_LAMBDA_FUNCTION_MEMORY_SIZE"],
    logGroupName: process.env["AWS_LAMBDA_LOG_GROUP_NAME"],
    logStreamName: process.env["AWS_LAMBDA_LOG_STREAM_NAME"],
  };
};

const [bundle = ""] = process.argv.slice(2);
const { handler } = await import(pathToFileURL(bundle).href);

let requests = 0;

/** What is held after collections: some objects go only after others. */
const heldBytes = async () => {
  for (let time = 0; time < 3; time += 1) {
    globalThis.gc?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { heapUsed, external } = process.memoryUsage();
  return { bytes: heapUsed + external };
};

const server = createServer((request, response) => {
  const pieces: Buffer[] = [];
  request.on("data", (piece: Buffer) => pieces.push(piece));
  request.on("end", () => {
    requests += 1;
    const event: unknown = JSON.parse(Buffer.concat(pieces).toString());
    const context = contextOf(request.headers);
    process.env["_X_AMZN_TRACE_ID"] = String(context.xRayTraceId);
    sendPreludeFirst(response);
    void handler(event, response, context);
  });
});
serveParent(await listen(server), (message) => {
  switch (message.kind) {
    case "begin profile":
      return startProfile();
    case "end profile":
      return stopProfile();
    case "memory":
      return heldBytes();
    default:
      return { requests, logLines };
  }
});
