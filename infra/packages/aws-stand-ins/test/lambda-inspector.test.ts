import { createServer } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type LambdaUnderTest, returned, startLambda } from "./lambda-fixture.ts";

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });

/** The processes to which a debugger could attach, as it lists them. */
const targets = async (port: number): Promise<unknown> => {
  const response = await fetch(`http://127.0.0.1:${port}/json/list`);
  return response.json();
};

describe("a function with an inspector's port", () => {
  let port: number;
  let lambda: LambdaUnderTest;
  beforeEach(async () => {
    port = await freePort();
    lambda = await startLambda({
      source: `
        import { setTimeout as pause } from "node:timers/promises";
        export const inspected = async () => {
          await pause(100);
          return process.pid;
        };
        export const other = async () => process.execArgv;
      `,
      functions: { inspected: { inspectorPort: port }, other: {} },
    });
  });
  afterEach(() => lambda.stop());

  it("can be debugged before it is invoked for the first time", async () => {
    await lambda.service.startInspected();
    const found = await vi.waitFor(() => targets(port), { timeout: 10_000 });
    expect(found).toMatchObject([
      { type: "node", webSocketDebuggerUrl: expect.stringContaining(`ws://127.0.0.1:${port}/`) },
    ]);
  });

  it("runs in one process, with any number of waiting invocations", async () => {
    await lambda.service.startInspected();
    await lambda.service.startInspected();
    const results = await Promise.all([1, 2, 3].map(() => lambda.service.invoke("inspected", {})));
    expect(new Set(results.map(returned)).size).toBe(1);
  });

  it("listens on the same port again after its code has changed", async () => {
    const before = returned(await lambda.service.invoke("inspected", {}));
    await lambda.service.recycle();
    const after = returned(await lambda.service.invoke("inspected", {}));
    expect(after).not.toBe(before);
    expect(await targets(port)).toMatchObject([{ type: "node" }]);
  });

  it("leaves the other functions without an inspector", async () => {
    expect(String(returned(await lambda.service.invoke("other", {})))).not.toContain("inspect");
  });
});
