import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LambdaUnderTest, readAll, startLambda, streamed } from "./lambda-fixture.ts";

let lambda: LambdaUnderTest;

beforeAll(async () => {
  lambda = await startLambda({
    source: `
      import { existsSync } from "node:fs";
      import { pipeline } from "node:stream/promises";
      import { setTimeout as sleep } from "node:timers/promises";

      const { streamifyResponse, HttpResponseStream } = awslambda;
      const until = async (file) => { while (!existsSync(file)) await sleep(2); };
      let invocations = 0;

      export const plain = streamifyResponse(async (event, stream) => {
        stream.setContentType("text/plain");
        stream.write("one ");
        stream.write({ two: 2 });
        stream.end(Buffer.from(" three"));
      });
      export const withPrelude = streamifyResponse(async (event, stream) => {
        const response = HttpResponseStream.from(stream, {
          statusCode: 201, headers: { "x-one": "1" }, cookies: ["a=b"],
        });
        response.write("");
        response.end("body");
      });
      export const endedOnly = streamifyResponse(async (event, stream) => {
        HttpResponseStream.from(stream, { statusCode: 201 }).end("body");
      });
      export const progressive = streamifyResponse(async (event, stream) => {
        stream.write("first");
        await until("first-was-read");
        stream.end("second");
      });
      export const failFirst = streamifyResponse(async () => { throw new TypeError("too early"); });
      export const failMidway = streamifyResponse(async (event, stream) => {
        invocations += 1;
        stream.write("x".repeat(event.length));
        throw new TypeError("midway in invocation " + invocations);
      });
      export const destroyMidway = streamifyResponse(async (event, stream) => {
        invocations += 1;
        const failing = async function* () {
          yield "invocation " + invocations;
          await sleep(20);
          throw new TypeError("the source failed");
        };
        await pipeline(failing, stream);
      });
      export const tooSlow = streamifyResponse(async (event, stream) => {
        stream.write("started");
        await sleep(60_000);
      });
      export const lateContentType = streamifyResponse(async (event, stream) => {
        stream.write("started");
        stream.setContentType("text/plain");
      });
      export const notAsync = streamifyResponse((event, stream) => { stream.end("done"); });
      export const large = streamifyResponse(async ({ chunks }, stream) => {
        const chunk = Buffer.alloc(64 * 1024, "x");
        const source = async function* () {
          for (let sent = 0; sent < chunks; sent += 1) {
            if (sent % 16 === 0) console.log(JSON.stringify({ sent, memory: process.memoryUsage.rss() }));
            yield chunk;
          }
        };
        await pipeline(source, stream);
      });`,
    functions: {
      plain: {},
      withPrelude: {},
      endedOnly: {},
      progressive: {},
      failFirst: {},
      failMidway: {},
      destroyMidway: {},
      tooSlow: { timeoutSeconds: 0.5 },
      lateContentType: {},
      notAsync: {},
      large: { timeoutSeconds: 30 },
    },
  });
});

afterAll(async () => {
  await lambda.stop();
});

const invoke = async (name: string, event: unknown = {}) =>
  streamed(await lambda.service.invoke(name, event));

describe("A streamed response", () => {
  it("carries text, bytes and values under the content type the function sets", async () => {
    const { contentType, body, failure } = await invoke("plain");
    expect(contentType).toBe("text/plain");
    expect(await readAll(body)).toEqual({ text: 'one {"two":2} three', error: undefined });
    expect(failure()).toBeUndefined();
  });

  it("begins with status, headers and cookies, eight zero bytes after them", async () => {
    const { contentType, body } = await invoke("withPrelude");
    expect(contentType).toBe("application/vnd.awslambda.http-integration-response");
    const { text } = await readAll(body);
    const [prelude = "", ...rest] = text.split("\0".repeat(8));
    expect(JSON.parse(prelude)).toEqual({ statusCode: 201, headers: { "x-one": "1" }, cookies: ["a=b"] });
    expect(rest).toEqual(["body"]);
  });

  it("loses its status when the function only ends it, as on AWS", async () => {
    const { body } = await invoke("endedOnly");
    expect((await readAll(body)).text).toBe("body");
  });

  it("arrives while the function is still writing", async () => {
    const { body } = await invoke("progressive");
    const chunks = body[Symbol.asyncIterator]();
    expect(String((await chunks.next()).value)).toBe("first");
    await writeFile(join(lambda.directory, "first-was-read"), "");
    expect(String((await chunks.next()).value)).toBe("second");
    expect((await chunks.next()).done).toBe(true);
  });

  it("may be larger than a buffered one", async () => {
    const { body } = await invoke("large", { chunks: 160 });
    expect((await readAll(body)).text.length).toBe(10 * 1024 * 1024);
  });
});

describe("A streaming function that fails", () => {
  it("before its first byte gets an error response", async () => {
    expect(await lambda.service.invoke("failFirst", {})).toEqual({
      kind: "error",
      errorType: "TypeError",
      errorMessage: "too early",
    });
  });

  it("midway has its output delivered, then the body fails, and the environment continues", async () => {
    for (const invocation of [1, 2]) {
      const { body, failure } = await invoke("failMidway", { length: 300_000 });
      const { text, error } = await readAll(body);
      expect(text.length).toBe(300_000);
      expect(error).toBe(`Error: TypeError: midway in invocation ${invocation}`);
      expect(failure()).toBe(`TypeError: midway in invocation ${invocation}`);
    }
  });

  it("midway has all it wrote delivered to a slow reader, too", async () => {
    const { body } = await invoke("failMidway", { length: 300_000 });
    let bytes = 0;
    const slow = new Writable({
      highWaterMark: 1,
      write: (chunk: Buffer, _encoding, callback) => {
        bytes += chunk.length;
        setTimeout(callback, 2);
      },
    });
    await expect(pipeline(body, slow)).rejects.toThrow("midway in invocation");
    expect(bytes).toBe(300_000);
  });

  it("midway by a pipeline takes its process down, as on AWS, and the next invocation starts afresh", async () => {
    for (const _attempt of [1, 2]) {
      const { body, failure } = await invoke("destroyMidway");
      const { text, error } = await readAll(body);
      expect(text).toBe("invocation 1");
      expect(error).toContain("Runtime exited with error: exit status 1");
      expect(failure()).toContain("Runtime.ExitError");
    }
  });

  it("by taking too long has its body cut off at the timeout", async () => {
    const { body, failure } = await invoke("tooSlow");
    const { text, error } = await readAll(body);
    expect(text).toBe("started");
    expect(error).toContain("Task timed out after 0.50 seconds");
    expect(failure()).toContain("Sandbox.Timedout");
  });

  it("by setting the content type too late gets an error", async () => {
    const { body } = await invoke("lateContentType");
    expect((await readAll(body)).error).toContain("Runtime.InvalidStreamingOperation");
  });

  it("by not being async gets an error", async () => {
    const { body, failure } = await invoke("notAsync");
    expect(await readAll(body)).toEqual({ text: "done", error: undefined });
    expect(failure()).toBeUndefined();
    await expect
      .poll(() => lambda.log.join("\n"), { timeout: 20_000 })
      .toContain("Streaming does not support non-async handlers.");
  });
});

describe("A reader that stops reading", () => {
  const progress = () =>
    lambda.log
      .filter((line) => line.startsWith("large: {"))
      .map((line): { sent: number; memory: number } => JSON.parse(line.slice("large: ".length)));

  it("holds the function back, whose memory stays flat", async () => {
    const { body } = await invoke("large", { chunks: 800 });
    const progressBefore = progress().length;
    let seen = 0;
    const nothingNew = () => {
      const before = seen;
      seen = progress().length;
      return seen === before;
    };
    await expect.poll(nothingNew, { interval: 300, timeout: 20_000 }).toBe(true);
    const { sent } = progress().at(-1) ?? { sent: 0 };
    expect(sent).toBeLessThan(400);

    expect((await readAll(body)).text.length).toBe(50 * 1024 * 1024);
    const memory = progress()
      .slice(progressBefore)
      .map((entry) => entry.memory);
    expect(Math.max(...memory) - Math.min(...memory)).toBeLessThan(40 * 1024 * 1024);
  });
});

describe("A reader that goes away", () => {
  let patient: LambdaUnderTest;

  beforeAll(async () => {
    // With room for one invocation, each waits for the environment that the one before has left behind.
    patient = await startLambda({
      maxConcurrency: 1,
      source: `
        import { existsSync, writeFileSync } from "node:fs";
        import { pipeline } from "node:stream/promises";
        import { setTimeout as sleep } from "node:timers/promises";

        export const handler = awslambda.streamifyResponse(async ({ report, how }, stream) => {
          writeFileSync("begun-" + report, "");
          const noticed = [];
          stream.on("error", (error) => noticed.push("error " + error.code));
          stream.on("close", () => {
            noticed.push("close");
            setImmediate(() => writeFileSync(report, JSON.stringify({ noticed, processId: process.pid })));
          });
          const forever = async function* () {
            for (;;) {
              yield "tick ";
              await sleep(5);
            }
          };
          while (how === "late" && !existsSync("may-write")) await sleep(2);
          if (how === "pipeline") return pipeline(forever, stream);
          for await (const tick of forever()) {
            if (stream.destroyed) break;
            stream.write(tick);
          }
          stream.write("nobody reads this");
          stream.end();
        });`,
      functions: { handler: {} },
    });
  });

  afterAll(async () => {
    await patient.stop();
  });

  const contents = async (file: string): Promise<string> => {
    const path = join(patient.directory, file);
    await expect.poll(() => existsSync(path), { timeout: 20_000 }).toBe(true);
    return readFile(path, "utf8");
  };
  const report = async (file: string): Promise<{ noticed: string[]; processId: number }> =>
    JSON.parse(await contents(file));

  it.each(["write", "pipeline"])(
    "is noticed by a function that uses %s, and its environment continues",
    async (how) => {
      const processIds = new Set<number>();
      for (const attempt of [1, 2, 3]) {
        const file = `${how}-${attempt}.json`;
        const { body } = streamed(await patient.service.invoke("handler", { report: file, how }));
        body.destroy();
        const { noticed, processId } = await report(file);
        expect(noticed).toEqual([expect.stringMatching(/^error (ECONNRESET|EPIPE)$/), "close"]);
        processIds.add(processId);
      }
      expect(processIds.size).toBe(1);
    },
  );

  it("by its signal is noticed in the same way", async () => {
    const caller = new AbortController();
    const event = { report: "signal.json", how: "write" };
    const result = await patient.service.invoke("handler", event, { signal: caller.signal });
    caller.abort();
    expect((await report("signal.json")).noticed).toContain("close");
    expect(streamed(result).body.destroyed).toBe(true);
  });

  it("before the first byte is noticed once the function writes", async () => {
    const caller = new AbortController();
    const event = { report: "early.json", how: "late" };
    const result = patient.service.invoke("handler", event, { signal: caller.signal });
    const rejected = expect(result).rejects.toThrow("the client hung up");
    await contents("begun-early.json");
    caller.abort(new Error("the client hung up"));
    await rejected;
    await writeFile(join(patient.directory, "may-write"), "");
    expect((await report("early.json")).noticed).toContain("close");
  });
});
