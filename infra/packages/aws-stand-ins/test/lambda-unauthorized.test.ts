import { describe, expect, it } from "vitest";
import { startLambda } from "./lambda-fixture.ts";

describe("A function that throws", () => {
  it("is logged with its stack, unless it is an authorizer that makes API Gateway return 401", async () => {
    const lambda = await startLambda({
      source: `
        export const refuse = async () => { throw new Error("Unauthorized"); };
        export const fail = async () => { throw new Error("Unauthorized to read the table"); };
      `,
      functions: { refuse: {}, fail: {} },
    });
    const refused = await lambda.service.invoke("refuse", {});
    await lambda.service.invoke("fail", {});
    await expect.poll(() => lambda.log.length, { timeout: 20_000 }).toBeGreaterThan(0);
    await lambda.stop();
    expect(refused).toMatchObject({ kind: "error", errorMessage: "Unauthorized" });
    expect(lambda.log.join("\n")).toMatch(/^fail: Invoke Error Error: Unauthorized to read/);
    expect(lambda.log.filter((line) => line.startsWith("refuse"))).toEqual([]);
  });
});
