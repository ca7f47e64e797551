// The program of every execution environment: what AWS's Node.js runtime client is on Lambda.
// It is plain JavaScript, checked by TypeScript: stripping types at every start would cost each environment
// 45 ms and 18 MB.

import { createContext } from "./invocation-context.mjs";
import { loadHandler } from "./load-handler.mjs";
import { awslambda, ResponseStream } from "./response-stream.mjs";
import { RuntimeApiClient, reportError, runtimeError } from "./runtime-api-client.mjs";

/** @import { InvocationContext } from "./invocation-context.mjs" */
/** @import { Handler } from "./load-handler.mjs" */

const { inspect } = process.getBuiltinModule("node:util");

const client = new RuntimeApiClient(process.env["AWS_LAMBDA_RUNTIME_API"] ?? "");

/**
 * The parent holds the other end of standard input and never writes to it: the pipe closes when the parent
 * dies, however it dies. It does not keep an idle event loop alive, because AWS's runtime ends there too.
 */
const exitWithParent = () => {
  process.stdin.once("close", () => process.exit()).resume();
  process.stdin.unref();
};

const initialize = async () => {
  try {
    return await loadHandler(process.env["LAMBDA_TASK_ROOT"] ?? "", process.env["_HANDLER"] ?? "");
  } catch (error) {
    logError("Init Error", error);
    await client.failInitialization(reportError(error));
    process.exit(1);
  }
};

/** @param {Handler} handler */
const serve = async (handler) => {
  for (;;) {
    const { headers, event } = await client.next();
    const context = createContext(headers);
    if (context.xRayTraceId === undefined) delete process.env["_X_AMZN_TRACE_ID"];
    else process.env["_X_AMZN_TRACE_ID"] = context.xRayTraceId;
    if (handler.streaming) await invokeStreaming(handler, event, context);
    else await invokeBuffered(handler, event, context);
  }
};

/**
 * @param {Handler} handler
 * @param {unknown} event
 * @param {InvocationContext} context
 */
const invokeBuffered = async (handler, event, context) => {
  let payload;
  try {
    payload = serialize(await handler.handle(event, context));
  } catch (error) {
    await nextTurn();
    logError("Invoke Error", error);
    return client.fail(context.awsRequestId, reportError(error));
  }
  await nextTurn();
  return client.respond(context.awsRequestId, payload);
};

/**
 * @param {Handler} handler
 * @param {unknown} event
 * @param {InvocationContext} context
 */
const invokeStreaming = async (handler, event, context) => {
  const stream = new ResponseStream(client.openResponse(context.awsRequestId), handler.highWaterMark);
  try {
    const handled = handler.handle(event, stream, context);
    if (!isThenable(handled)) throw new Error("Streaming does not support non-async handlers.");
    await handled;
  } catch (error) {
    await nextTurn();
    logError("Invoke Error", error);
    stream.fail(error);
  }
  await stream.completed;
};

/** @param {unknown} value */
const isThenable = (value) =>
  typeof value === "object" && value !== null && typeof Reflect.get(value, "then") === "function";

/** @param {unknown} result */
const serialize = (result) => {
  try {
    return JSON.stringify(result === undefined ? null : result);
  } catch {
    throw runtimeError("Runtime.JSONStringifyError", "Unable to stringify response body");
  }
};

/** As on AWS, a rejection that the handler left unhandled ends the process before its result is sent. */
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/**
 * @param {string} title
 * @param {unknown} error
 */
const logError = (title, error) => {
  // An authorizer's message that makes API Gateway return 401: a decision, not a failure to investigate.
  if (error instanceof Error && error.message === "Unauthorized") return;
  process.stderr.write(`${title} ${inspect(error)}\n`);
};

exitWithParent();
// Ctrl-C reaches every process of the terminal; the service alone decides when an environment ends.
process.on("SIGINT", () => {});
Object.assign(globalThis, { awslambda: { ...Reflect.get(globalThis, "awslambda"), ...awslambda } });
void serve(await initialize());
