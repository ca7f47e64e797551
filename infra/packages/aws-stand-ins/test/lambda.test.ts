import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { transform } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LambdaUnderTest, returned, startLambda } from "./lambda-fixture.ts";

let lambda: LambdaUnderTest;

beforeAll(async () => {
  lambda = await startLambda({
    source: `
      let invocations = 0;
      export const echo = async (event) => event;
      export const nothing = async () => {};
      export const synchronous = () => "plain";
      export const nested = { handlers: { deep: async () => "deep" } };
      export const count = async () => ++invocations;
      export const describeContext = async (event, context) => ({
        ...context,
        millisecondsLeft: context.getRemainingTimeInMillis(),
      });
      export const describeProcess = async () => ({
        environment: process.env,
        workingDirectory: process.cwd(),
        typeOfRequire: typeof require,
      });
      export const throwError = async () => { throw new RangeError("out of range"); };
      export const throwCustom = async () => {
        class OrderError extends Error { name = "OrderError"; }
        throw new OrderError("no such order");
      };
      export const throwText = async () => { throw "only text"; };
      export const returnCycle = async () => { const cycle = {}; cycle.self = cycle; return cycle; };
      export const returnLarge = async ({ length }) => "x".repeat(length);
      export const callback = (event, context, done) => done(null, "never");
      export const notAFunction = "text";
      export const print = async () => {
        console.log("one\\ntwo");
        console.error("three \\u2028 still three");
        process.stdout.write("four is unfinished");
        process.exit(0);
      };`,
    functions: {
      echo: {},
      nothing: {},
      synchronous: {},
      nested: { handler: "index.nested.handlers.deep" },
      count: {},
      describeContext: { timeoutSeconds: 30, memoryMegabytes: 256 },
      describeProcess: { environment: { GREETING: "Oli otya", AWS_LAMBDA_FUNCTION_NAME: "forged" } },
      throwError: {},
      throwCustom: {},
      throwText: {},
      returnCycle: {},
      returnLarge: {},
      callback: {},
      notAFunction: {},
      missing: {},
      malformed: { handler: "../index.echo" },
      noModule: { handler: "absent.handler" },
      noDirectory: { directory: "/nowhere/at/all" },
      print: {},
    },
  });
});

afterAll(async () => {
  await lambda.stop();
});

const invoke = (name: string, event: unknown = {}) => lambda.service.invoke(name, event);

describe("A function", () => {
  it("gets the event and its result comes back", async () => {
    const event = { text: "Wasuze otya? 😀", list: [1, null, { deep: true }] };
    expect(returned(await invoke("echo", event))).toEqual(event);
  });

  it("returns null when it returns nothing", async () => {
    expect(returned(await invoke("nothing"))).toBeNull();
  });

  it("may return without a promise", async () => {
    expect(returned(await invoke("synchronous"))).toBe("plain");
  });

  it("may be nested in an export", async () => {
    expect(returned(await invoke("nested"))).toBe("deep");
  });

  it("keeps its state from one invocation to the next", async () => {
    expect(returned(await invoke("count"))).toBe(1);
    expect(returned(await invoke("count"))).toBe(2);
    expect(returned(await invoke("count"))).toBe(3);
  });

  it("gets the context it has on AWS", async () => {
    const context = returned(await invoke("describeContext"));
    expect(context).toEqual({
      awsRequestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      invokedFunctionArn: "arn:aws:lambda:us-east-1:000000000000:function:describeContext",
      xRayTraceId: expect.stringMatching(/^Root=1-[0-9a-f]{8}-[0-9a-f]{24};Sampled=0$/),
      functionName: "describeContext",
      functionVersion: "$LATEST",
      memoryLimitInMB: "256",
      logGroupName: "/aws/lambda/describeContext",
      logStreamName: "local",
      millisecondsLeft: expect.toSatisfy((left: number) => left > 29_000 && left <= 30_000),
    });
  });

  it("sees its own environment and nothing of the service's", async () => {
    process.env["DEVELOPER_SECRET"] = "not for functions";
    const { environment, ...rest } = Object(returned(await invoke("describeProcess")));
    delete process.env["DEVELOPER_SECRET"];
    expect(environment).toMatchObject({
      GREETING: "Oli otya",
      AWS_LAMBDA_FUNCTION_NAME: "describeProcess",
      AWS_REGION: "us-east-1",
      LAMBDA_TASK_ROOT: lambda.directory,
    });
    expect(environment).not.toHaveProperty("DEVELOPER_SECRET");
    expect(rest).toEqual({ workingDirectory: lambda.directory, typeOfRequire: "undefined" });
  });

  it("has its output logged line by line under its name", async () => {
    await invoke("print");
    await expect
      .poll(() => lambda.log, { timeout: 20_000 })
      .toEqual(
        expect.arrayContaining([
          "print: one",
          "print: two",
          "print: three \u2028 still three",
          "print: four is unfinished",
        ]),
      );
  });

  it("that does not exist cannot be invoked", async () => {
    await expect(invoke("unheard-of")).rejects.toThrow("There is no function named unheard-of.");
  });
});

describe("A function that fails", () => {
  it.each([
    ["an error", "throwError", "RangeError", "out of range"],
    ["an error with a name of its own", "throwCustom", "OrderError", "no such order"],
    ["a text", "throwText", "string", "only text"],
    [
      "a result that is no JSON",
      "returnCycle",
      "Runtime.JSONStringifyError",
      "Unable to stringify response body",
    ],
  ])("with %s has its type and message in the response", async (_what, name, errorType, errorMessage) => {
    expect(await invoke(name)).toEqual({ kind: "error", errorType, errorMessage });
  });

  it("can be invoked again in the same environment", async () => {
    const before = returned(await invoke("count"));
    await invoke("throwError");
    expect(returned(await invoke("count"))).toBe(Number(before) + 1);
  });

  it("has its stack trace logged with the lines of the TypeScript source", async () => {
    const typescript = [
      "interface Order { id: string }",
      "",
      "export const handler = async (order: Order) => {",
      '  throw new Error("Order " + order.id + " failed.");',
      "};",
    ].join("\n");
    const options = {
      loader: "ts",
      sourcemap: "inline",
      sourcefile: "place-order.ts",
      minify: true,
    } as const;
    const { code } = await transform(typescript, options);
    const ordering = await startLambda({ source: code, functions: { handler: {} } });
    expect(await ordering.service.invoke("handler", { id: "7" })).toMatchObject({
      kind: "error",
      errorMessage: "Order 7 failed.",
    });
    await expect
      .poll(() => ordering.log.join("\n"), { timeout: 20_000 })
      .toMatch(/Order 7 failed\..*place-order\.ts:4:9/s);
    await ordering.stop();
  });
});

describe("A function that cannot start", () => {
  it.each([
    ["its handler takes a callback", "callback", "Runtime.CallbackHandlerDeprecated"],
    ["its handler is no function", "notAFunction", "Runtime.HandlerNotFound"],
    ["its handler is not exported", "missing", "Runtime.HandlerNotFound"],
    ["its handler's name leads out of its folder", "malformed", "Runtime.MalformedHandlerName"],
    ["its module is missing", "noModule", "Runtime.ImportModuleError"],
    ["its folder is missing", "noDirectory", "Runtime.InvalidEntrypoint"],
  ])("because %s gets an error response", async (_why, name, errorType) => {
    expect(await invoke(name)).toMatchObject({ kind: "error", errorType });
  });

  it("is tried again at the next invocation", async () => {
    const unready = await startLambda({
      source: `
        import { existsSync } from "node:fs";
        if (!existsSync("ready")) throw new TypeError("not ready");
        export const handler = async () => "ready now";`,
      functions: { handler: {} },
    });
    const notReady = { kind: "error", errorType: "TypeError", errorMessage: "not ready" };
    expect(await unready.service.invoke("handler", {})).toEqual(notReady);
    expect(await unready.service.invoke("handler", {})).toEqual(notReady);
    await writeFile(join(unready.directory, "ready"), "");
    expect(returned(await unready.service.invoke("handler", {}))).toBe("ready now");
    await unready.stop();
  });

  it("because its code is not JavaScript gets a syntax error", async () => {
    const broken = await startLambda({ source: "export const handler = =>;", functions: { handler: {} } });
    expect(await broken.service.invoke("handler", {})).toMatchObject({
      kind: "error",
      errorType: "Runtime.UserCodeSyntaxError",
    });
    await broken.stop();
  });
});

describe("The payload limits of AWS", () => {
  const megabytes = 1024 * 1024;

  it("let an event of six megabytes through, and none that is larger", async () => {
    const quotes = 2;
    const maxText = "x".repeat(6 * megabytes - quotes);
    expect(returned(await invoke("echo", maxText))).toBe(maxText);
    expect(await invoke("echo", `${maxText}x`)).toMatchObject({
      kind: "error",
      errorType: "RequestTooLargeException",
    });
  });

  it("refuse a larger response, and the environment continues", async () => {
    expect(await invoke("returnLarge", { length: 6_291_554 })).toMatchObject({ kind: "buffered" });
    expect(await invoke("returnLarge", { length: 6_291_555 })).toEqual({
      kind: "error",
      errorType: "Function.ResponseSizeTooLarge",
      errorMessage:
        "Response payload size (6291557 bytes) exceeded maximum allowed payload size (6291556 bytes).",
    });
    expect(returned(await invoke("returnLarge", { length: 3 }))).toBe("xxx");
  });
});
