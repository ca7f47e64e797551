import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { functionDefinitions } from "../../functions/manifest.ts";
import { costTable } from "../../infra/costs.ts";

const memory = new Map<string, number>(
  functionDefinitions.map(({ name, memoryMegabytes }) => [name, memoryMegabytes]),
);

describe("The table of costs", () => {
  it("in the documentation is the one of today's functions", async () => {
    const document = await readFile("infra/README.md", "utf8");
    expect(document).toContain(costTable(memory));
  });

  it("grows with the memory of a function", () => {
    const chatOf = (megabytes: number): number => {
      const [row] =
        costTable(new Map(memory).set("chat", megabytes)).match(/chat, streamed.*function URL.*/) ?? [];
      return Number(row?.split("|").at(1)?.trim());
    };
    // Ten seconds of half a gigabyte, and the same again; the rest of that column is an invocation.
    expect((chatOf(1_024) - 0.2) / (chatOf(512) - 0.2)).toBeCloseTo(2, 3);
  });

  it("is refused when a function is missing", () => {
    expect(() => costTable(new Map())).toThrow('The template has no function "auth".');
  });
});
