import * as z from "zod";
import { functionDefinitions, operations } from "../../functions/manifest.ts";
import { daySeconds } from "../../shared/platform/durations.ts";
import { backendMetricNames } from "../../shared/platform/telemetry/backend-uses.ts";
import { pascalCase } from "../stacks/function-group.ts";
import { declaredPages } from "./declared-pages.ts";
import { daysOfMonth, inDollars, metricMonth, prices } from "./prices.ts";

const template = z.object({
  Resources: z.record(z.string(), z.object({ Type: z.string(), Properties: z.unknown() })),
});
const lambda = z.object({ MemorySize: z.number(), Architectures: z.tuple([z.literal("arm64")]) });
const alarm = z.object({ Metrics: z.array(z.object({ MetricStat: z.unknown().optional() })).default([]) });
const metricFilter = z.object({ MetricTransformations: z.array(z.object({ MetricName: z.string() })) });

/** What costs money in the templates of a stage. */
export interface StageUse {
  /** The memory of each function, by its name. */
  readonly memoryMegabytes: ReadonlyMap<string, number>;
  /** How many resources of each type there are. */
  readonly resources: ReadonlyMap<string, number>;
  /** How many metrics the alarms compare: some calculate with two. */
  readonly alarmMetrics: number;
  /** How many metrics count events in the logs. */
  readonly eventMetrics: number;
}

/** Reads the parsed templates of a stage. The prices are for arm64; another architecture is an error. */
export const readStageUse = (templates: readonly unknown[]): StageUse => {
  const all = templates.flatMap((one) => Object.entries(template.parse(one).Resources));
  const propertiesOf = (type: string): unknown[] =>
    all.flatMap(([, { Type, Properties }]) => (Type === type ? [Properties] : []));
  const alarmMetrics = propertiesOf("AWS::CloudWatch::Alarm").map((properties) =>
    Math.max(1, alarm.parse(properties).Metrics.filter(({ MetricStat }) => MetricStat !== undefined).length),
  );
  const eventMetrics = propertiesOf("AWS::Logs::MetricFilter").flatMap((properties) =>
    metricFilter.parse(properties).MetricTransformations.map(({ MetricName }) => MetricName),
  );
  return {
    memoryMegabytes: new Map(
      functionDefinitions.flatMap(({ name }) => {
        const id = `Functions${pascalCase(name)}Function`;
        const found = all.find(([key, { Type }]) => Type === "AWS::Lambda::Function" && key.startsWith(id));
        return found ? [[name, lambda.parse(found[1].Properties).MemorySize] as const] : [];
      }),
    ),
    resources: new Map(
      [...Map.groupBy(all, ([, { Type }]) => Type)].map(([type, some]) => [type, some.length]),
    ),
    alarmMetrics: alarmMetrics.reduce((sum, count) => sum + count, 0),
    eventMetrics: new Set(eventMetrics).size,
  };
};

/** A part of a sum, in words and dollars. */
type Part = readonly [what: string, dollars: number];

const total = (parts: readonly Part[]): number => parts.reduce((sum, [, amount]) => sum + amount, 0);

const named = (parts: readonly Part[]): string =>
  parts.map(([what, amount]) => `${what} ${inDollars(amount)}`).join(", ");

/** Five connections poll a queue, each every 20 seconds. */
const pollingMonth = ((5 * daysOfMonth * daySeconds) / 20) * prices.queueRequest.dollars;

const idleParts = ({ resources, alarmMetrics }: StageUse): Part[] => {
  const count = (type: string): number => resources.get(type) ?? 0;
  const dashboards = count("AWS::CloudWatch::Dashboard");
  const secrets = count("AWS::SecretsManager::Secret");
  const queues = count("AWS::Lambda::EventSourceMapping");
  return [
    [`${count("AWS::CloudWatch::Alarm")} alarms on ${alarmMetrics} metrics`, alarmMetrics * 0.1],
    [`${dashboards} dashboards`, dashboards * 3],
    [`${secrets} secrets`, secrets * 0.4],
    [`${queues} polled queues`, queues * pollingMonth],
  ];
};

/** Each page has a metric for GET, and one for POST if it has a form. */
const pageMetrics = declaredPages.reduce((sum, { form }) => sum + (form ? 2 : 1), 0);

/** The work of the queues for mails, messages, jobs and callbacks, and requests to paths that do not exist. */
const otherOperations = 5;

const timeMetrics = operations.length + pageMetrics + otherOperations;
const errorMetrics = 2 * timeMetrics;

const metricParts = ({ eventMetrics }: StageUse): Part[] => [
  [
    `times of ${operations.length} operations, ${pageMetrics} page requests and ${otherOperations} others`,
    timeMetrics * metricMonth,
  ],
  [`their errors ${errorMetrics}`, errorMetrics * metricMonth],
  [`backends ${backendMetricNames.length}`, backendMetricNames.length * metricMonth],
  [`events ${eventMetrics}`, eventMetrics * metricMonth],
  ["the service's own time 1", metricMonth],
];

const hoursOfMonth = daysOfMonth * 24;

/** A day of a stage, in which two hours have requests of every kind; its sampled requests and restored table are cents. */
const firstDeploymentParts = (use: StageUse): Part[] => [
  ["a day without requests", total(idleParts(use)) / daysOfMonth],
  ["two hours of every metric", (2 * total(metricParts(use))) / hoursOfMonth],
  ["5,000 requests", 0.05],
  ["the restored table", 0.01],
];

/** Returns, as Markdown, what a stage costs besides its requests. */
export const stageCosts = (use: StageUse): string => {
  const [idle, metrics, first] = [idleParts(use), metricParts(use), firstDeploymentParts(use)];
  return [
    `A stage without requests costs about $${inDollars(total(idle))} per month: ${named(idle)}.`,
    `Its metrics cost at most $${inDollars(total(metrics))} more, if each has a value in every hour: ${named(metrics)}. Most requests ` +
      "have no error, and most hours not every operation, so expect a fraction.",
    `The first deployment (infra/first-deployment.md), removed within a day, costs about $${inDollars(total(first))}: ${named(first)}.`,
  ].join("\n\n");
};
