import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { functionDefinitions } from "../../functions/manifest.ts";
import { costTable } from "../../infra/costs.ts";
import { synthesizeService } from "./synthesized-service.ts";

const memory = new Map<string, number>(
  functionDefinitions.map(({ name, memoryMegabytes }) => [name, memoryMegabytes]),
);

/** How many resources of each type production has. */
const countResources = async (): Promise<Map<string, number>> => {
  const { data, withFunctions, monitoring } = await synthesizeService();
  const types = [withFunctions, data, monitoring].flatMap(({ Resources }) =>
    Object.values(Resources).map(({ Type }) => Type),
  );
  return new Map([...Map.groupBy(types, (type) => type)].map(([type, all]) => [type, all.length]));
};
const resources = await countResources();

describe("The table of costs", () => {
  it("in the documentation is the one of today's functions", async () => {
    const document = await readFile("infra/handbook/costs.md", "utf8");
    expect(document).toContain(costTable(memory, resources));
  });

  it("grows with the memory of a function", () => {
    const chatOf = (megabytes: number): number => {
      const [row] =
        costTable(new Map(memory).set("chat", megabytes), resources).match(
          /chat, streamed.*function URL.*/,
        ) ?? [];
      return Number(row?.split("|").at(1)?.trim());
    };
    // Ten seconds of half a gigabyte, twice; the rest of that column is an invocation.
    expect((chatOf(1_024) - 0.2) / (chatOf(512) - 0.2)).toBeCloseTo(2, 3);
  });

  it("shows the cost of a stage without traffic", () => {
    const idle = new Map([
      ["AWS::CloudWatch::Alarm", 10],
      ["AWS::CloudWatch::Dashboard", 1],
      ["AWS::SecretsManager::Secret", 5],
    ]);
    expect(costTable(memory, idle)).toContain("A stage without requests costs about $6.00 per month");
  });

  it("is refused when a function is missing", () => {
    expect(() => costTable(new Map(), resources)).toThrow('The template has no function "auth".');
  });
});
