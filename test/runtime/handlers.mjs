// The functions that both runtimes run: each shows one thing a runtime does.

import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";

const { streamifyResponse, HttpResponseStream } = Reflect.get(globalThis, "awslambda");

class OrderError extends Error {
  name = "OrderError";
}

export const returnEvent = async (event) => ({ event });
export const returnNothing = async () => {};
export const returnPlainly = () => [1, "two"];
export const returnCycle = async () => {
  const cycle = {};
  cycle.self = cycle;
  return cycle;
};
export const returnContext = async (_event, context) => ({
  ...context,
  keys: Object.keys(context).toSorted(),
  timeIsLeft: context.getRemainingTimeInMillis() > 0,
  traceId: process.env["_X_AMZN_TRACE_ID"],
});

export const throwPlainly = () => {
  throw new RangeError("out of range");
};
export const rejectCustom = async () => {
  throw new OrderError("no such order\nsecond line");
};
export const rejectText = async () => {
  throw "only text";
};
export const floatingRejection = async () => {
  void Promise.reject(new OrderError("an unhandled rejection"));
  return "never sent";
};
export const nothingLeftToDo = () => new Promise(() => {});
export const callback = (_event, _context, done) => done(null, "never sent");
export const notAFunction = "text";
export const nested = { deep: { handler: async () => "deep" } };

export const stream = streamifyResponse(async (_event, response) => {
  response.setContentType("text/plain");
  response.write("one ");
  await sleep(5);
  response.write(Buffer.from("two "));
  response.write({ three: 3 });
  response.end(" four");
});
export const streamPrelude = streamifyResponse(async (_event, response) => {
  const metadata = { statusCode: 201, headers: { "x-one": "1" }, cookies: ["a=b"] };
  const http = HttpResponseStream.from(response, metadata);
  http.write("");
  await pipeline(["one ", "two"], http);
});
export const streamEndedOnly = streamifyResponse(async (_event, response) => {
  HttpResponseStream.from(response, { statusCode: 201 }).end("body");
});
export const streamNothing = streamifyResponse(async (_event, response) => {
  response.end();
});
export const streamReturning = streamifyResponse(async (_event, response) => {
  response.end("body");
  return "ignored";
});
export const streamUnended = streamifyResponse(async (_event, response) => {
  response.write("body");
});
export const streamNotAsync = streamifyResponse((_event, response) => {
  response.write("body");
});
export const streamThrowingFirst = streamifyResponse(async (_event, response) => {
  HttpResponseStream.from(response, { statusCode: 201 });
  throw new OrderError("before the first byte");
});
export const streamThrowingMidway = streamifyResponse(async (_event, response) => {
  HttpResponseStream.from(response, { statusCode: 201 }).write("body");
  throw new OrderError("midway");
});
export const streamThrowingLast = streamifyResponse(async (_event, response) => {
  response.end("body");
  throw new OrderError("after the end");
});
export const streamPipelineFailing = streamifyResponse(async (_event, response) => {
  const failing = async function* () {
    yield "body";
    await sleep(20);
    throw new OrderError("the source failed");
  };
  await pipeline(failing, response);
});
export const streamDestroyed = streamifyResponse(async (_event, response) => {
  response.write("body");
  await sleep(20);
  response.destroy(new OrderError("destroyed"));
  await sleep(1_000);
});
export const streamLateContentType = streamifyResponse(async (_event, response) => {
  response.write("body");
  response.setContentType("text/plain");
});
