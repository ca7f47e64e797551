import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { functionDefinitions, operations } from "../../functions/manifest.ts";
import { costTable } from "../../infra/costs/cost-table.ts";
import { defaultTracedShare, requestCosts } from "../../infra/costs/request-costs.ts";
import { readStageUse, stageCosts } from "../../infra/costs/stage-costs.ts";
import { synthesizeService } from "./synthesized-service.ts";

const { data, api, workers, monitoring } = await synthesizeService();
const production = readStageUse([data, api, workers, monitoring]);

/** A gigabyte for each function, so that a second costs as much as a gigabyte-second: $13.3334 a million. */
const gigabytes = new Map<string, number>(functionDefinitions.map(({ name }) => [name, 1_024]));

/** The cells of the row for requests of a kind. */
const rowOf = (kind: string, memory: ReadonlyMap<string, number> = gigabytes): string[] => {
  const [line = ""] = requestCosts(memory)
    .split("\n")
    .filter((one) => one.startsWith(`| ${kind}`));
  return line.split(" | ").slice(1);
};

describe("The costs in other regions", () => {
  it("are printed for Ireland and Cape Town, next to those of us-east-1", () => {
    const table = costTable(production);
    expect(table).toContain(
      "| a million of | us-east-1, $ | Ireland (eu-west-1), $ | Cape Town (af-south-1), $ |",
    );
    const [, regional = ""] = table.split("us-east-1, $");
    const [virginia, ireland, capeTown] = (/^\| login \|(.*)\|$/m.exec(regional)?.[1] ?? "")
      .split("|")
      .map(Number);
    expect(virginia).toBeCloseTo(Number(rowOf("login", production.memoryMegabytes)[6]), 2);
    expect(ireland).toBeGreaterThan(virginia ?? 0);
    expect(capeTown).toBeGreaterThan(ireland ?? 0);
  });
});

describe("The costs of requests", () => {
  it("are those of today's functions in the documentation", async () => {
    const document = await readFile("infra/handbook/costs.md", "utf8");
    expect(document).toContain(costTable(production));
  });

  it("count what a stream at the function's URL uses", () => {
    // 10.03 s and 1% of 0.3 s, and an invocation; 4 writes; 0.02 s, 2 writes and a read of the request log; 2 kB of log and 84% of a trace; 60 kB.
    const [lambda, api, table, queues, logs, traffic] = rowOf(
      "chat, streamed for 10 s through the function URL",
    );
    expect([lambda, api, table, queues, logs, traffic]).toEqual([
      "134.48",
      "0.00",
      "3.88",
      "0.00",
      "5.19",
      "5.40",
    ]);
  });

  it("count all of a job: its worker for each piece, its messages, and the recording on its way to the model", () => {
    // 403.75 s in 15 invocations; 97 writes, 314 reads, and the request log; 72 messages, 9 PUT, 60 GET; 22.5 kB of log, a twentieth of a
    // trace by the API, a quarter of 12 by the worker and 84% of one by the callback; 29,282 kB.
    expect(rowOf("job of an hour").slice(0, 6)).toEqual([
      "5386.87",
      "3.50",
      "101.25",
      "105.00",
      "30.88",
      "2635.38",
    ]);
  });

  it("count a page", () => {
    // 0.053 s and an invocation; 3 reads and a write; 1.75 kB of log and 5% of a trace; 8 kB.
    expect(rowOf("page of the console").slice(0, 6)).toEqual([
      "0.91",
      "3.50",
      "1.00",
      "0.00",
      "1.13",
      "0.72",
    ]);
  });

  it("grow with the memory of a function", () => {
    const chatOf = (megabytes: number): number =>
      Number(
        rowOf(
          "chat, streamed for 10 s through the function URL",
          new Map(gigabytes).set("chat", megabytes),
        )[0],
      );
    expect(chatOf(2_048)).toBeCloseTo(2 * 133.774 + 0.2 + 0.507, 1);
  });

  it("are refused when a function is missing", () => {
    expect(() => requestCosts(new Map())).toThrow('The template has no function "auth".');
  });
});

describe("Traces without a rule of the stage", () => {
  it.each([
    // A request every 2.6 s: 83% are the first of their second, and one in twenty of the others.
    [1_000_000, 0.838],
    // 4.6 a second: 21% are the first.
    [12_000_000, 0.253],
    // 1,000 a second: one in a thousand is the first of its second.
    [2_592_000_000, 0.051],
  ])("of %i requests a month are %f of them", (requests, share) => {
    expect(defaultTracedShare(requests)).toBeCloseTo(share, 3);
  });
});

const resource = (Type: string, Properties: object = {}) => ({ Type, Properties });

describe("The costs of a stage", () => {
  it("count an alarm for each of its metrics", () => {
    const idle = readStageUse([
      {
        Resources: {
          one: resource("AWS::CloudWatch::Alarm", { MetricName: "Errors" }),
          two: resource("AWS::CloudWatch::Alarm", {
            Metrics: [
              { Expression: "a / b" },
              { MetricStat: { Stat: "Sum" } },
              { MetricStat: { Stat: "Sum" } },
            ],
          }),
          board: resource("AWS::CloudWatch::Dashboard"),
        },
      },
      { Resources: { secret: resource("AWS::SecretsManager::Secret") } },
    ]);
    // 3 metrics at $0.10, $3 and $0.40.
    expect(stageCosts(idle)).toContain(
      "A stage without requests costs about $3.70 per month: 2 alarms on 3 metrics 0.30, 1 dashboards 3.00, " +
        "1 secrets 0.40, 0 polled queues 0.00.",
    );
  });

  it("count the polls of an empty queue", () => {
    const polled = { Resources: { queue: resource("AWS::Lambda::EventSourceMapping") } };
    // Five connections, each every 20 s for 30 days: 648,000 requests.
    expect(stageCosts(readStageUse([polled]))).toContain("1 polled queues 0.32");
  });

  it("count the metrics of operations, of which errors are apart, and of counted events once", () => {
    const transformations = (MetricName: string) => ({ MetricTransformations: [{ MetricName }] });
    const words = stageCosts(
      readStageUse([
        {
          Resources: {
            chat: resource("AWS::Logs::MetricFilter", transformations("chat.broken_off")),
            speech: resource("AWS::Logs::MetricFilter", transformations("chat.broken_off")),
          },
        },
      ]),
    );
    expect(words).toContain(`times of ${operations.length} operations, `);
    const [, pages] = /operations, (\d+) page requests/.exec(words) ?? [];
    const times = operations.length + Number(pages) + 5;
    expect(words).toContain(
      `5 others ${(times * 0.3).toFixed(2)}, their errors ${2 * times} ${(times * 0.6).toFixed(2)}`,
    );
    // Three for each of four tasks and the messaging platform.
    expect(words).toContain("backends 15 4.50, events 1 0.30, the service's own time 1 0.30");
  });

  it("add up to those of the first deployment", () => {
    // A thirtieth of $3, and two hours of 720 of all metrics.
    const words = stageCosts(
      readStageUse([{ Resources: { board: resource("AWS::CloudWatch::Dashboard") } }]),
    );
    const [, metrics] = /cost at most \$([\d.]+) more/.exec(words) ?? [];
    const hours = (Number(metrics) / 360).toFixed(2);
    expect(words).toContain(`a day without requests 0.10, two hours of every metric ${hours}`);
  });

  it("of production have more metrics than alarms", () => {
    expect(production.alarmMetrics).toBeGreaterThan(production.resources.get("AWS::CloudWatch::Alarm") ?? 0);
  });
});
