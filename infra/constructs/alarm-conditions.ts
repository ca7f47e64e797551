import { Duration } from "aws-cdk-lib";
import type { SpecRestApi } from "aws-cdk-lib/aws-apigateway";
import {
  type ComparisonOperator,
  type IMetric,
  MathExpression,
  Metric,
  Stats,
  type TreatMissingData,
} from "aws-cdk-lib/aws-cloudwatch";
import type { TableV2 } from "aws-cdk-lib/aws-dynamodb";
import type { IRule } from "aws-cdk-lib/aws-events";
import type { ILogGroup } from "aws-cdk-lib/aws-logs";
import { authorizerFunction } from "../../functions/authorizer/contract.ts";
import type { RequestMetrics } from "../../shared/platform/telemetry/request-metrics.ts";
import type { StageSettings } from "../stage-settings.ts";
import type { ServiceFunction } from "./service-function.ts";
import type { WorkQueue } from "./work-queue.ts";

/** The resources that alarms and the dashboard watch. */
export interface Monitored {
  readonly api: SpecRestApi;
  /** All functions of the stage, in any stack. */
  readonly functions: readonly ServiceFunction[];
  /** The namespace of the functions' metrics, and of the counts of events in their logs. */
  readonly metricsNamespace: string;
  readonly settings: StageSettings;
  readonly accessLog: ILogGroup;
  /** The rule by which EventBridge reports mails that came back. */
  readonly mailFeedbackRule: IRule;
  readonly table: TableV2;
  readonly mail: WorkQueue;
  readonly messages: WorkQueue;
  readonly callbacks: WorkQueue;
  readonly jobs: WorkQueue;
  readonly exports: WorkQueue;
}

/** The length of the periods that alarms compare. */
const period = Duration.minutes(5);

/** A condition that an operator must act on. */
export interface Condition {
  /** The alarm's own name; by default CloudFormation chooses it. */
  readonly name?: string;
  /** What has happened and what to do, for the operator on call. */
  readonly description: string;
  /** The heading of its entry in the runbook. */
  readonly runbook: string;
  readonly metric: IMetric;
  /** The alarm counts periods with this value or more, unless another comparison is named. */
  readonly threshold: number;
  readonly comparisonOperator?: ComparisonOperator;
  /** How many of the evaluated periods must reach the threshold. */
  readonly datapointsToAlarm: 1 | 2 | 3;
  /** By default the last three. */
  readonly evaluationPeriods?: number;
  /** How periods without data count; by default like good ones. */
  readonly treatMissingData?: TreatMissingData;
}

/** The percentage of requests that fail; 0 below 20 requests, because one failure at night is no outage. */
const failedPercent = (label: string, requests: IMetric, failures: IMetric): IMetric =>
  new MathExpression({
    label,
    expression: "IF(requests >= 20, 100 * FILL(failures, 0) / requests, 0)",
    usingMetrics: { requests, failures },
    period,
  });

/** How many requests fail in an hour; 0 while at least three quarters succeed. */
const failedInHour = (label: string, requests: IMetric, failures: IMetric): IMetric =>
  new MathExpression({
    label,
    expression: "IF(4 * FILL(failures, 0) >= requests, FILL(failures, 0), 0)",
    usingMetrics: { requests, failures },
    period: Duration.hours(1),
  });

/** An outage under load, and one that a few requests an hour meet. The second compares the last hour, every minute. */
const outages = (
  name: string,
  condition: Pick<Condition, "description" | "runbook">,
  [label, requests, failures]: Parameters<typeof failedPercent>,
): Record<string, Condition> => ({
  [name]: {
    ...condition,
    description: `At least 5% of ${condition.description}`,
    metric: failedPercent(`${label}, percent`, requests, failures),
    threshold: 5,
    datapointsToAlarm: 2,
  },
  [`${name}InHour`]: {
    ...condition,
    description: `In an hour three or more, and at least a quarter, of ${condition.description}`,
    metric: failedInHour(`${label} in an hour`, requests, failures),
    threshold: 3,
    datapointsToAlarm: 1,
    evaluationPeriods: 1,
  },
});

/** A metric that few samples do not decide: 0 in periods with fewer. */
export const ifEnough = (minSamples: number, value: Metric): IMetric =>
  new MathExpression({
    ...(value.label === undefined ? {} : { label: value.label }),
    expression: `IF(samples >= ${minSamples}, value, 0)`,
    usingMetrics: { samples: value.with({ statistic: Stats.SAMPLE_COUNT }), value },
    period,
  });

/** How long callers wait for the service itself, over all operations, in milliseconds. The functions' logs carry it. */
export const ownTime = (namespace: string, percent: number): Metric =>
  new Metric({
    namespace,
    metricName: "own_milliseconds" satisfies keyof RequestMetrics,
    statistic: Stats.percentile(percent),
    period,
  });

export const apiConditions = ({ api, metricsNamespace }: Monitored): Record<string, Condition> => ({
  ...outages(
    "ServerErrors",
    {
      description:
        "the requests end with a 5xx status. Look for `gatewayError` and `status` in the API's access log: " +
        "502 and 503 point to the model servers or the authorizer, 500 to an error in the log of the function.",
      runbook: "The API fails",
    },
    [
      "Server errors",
      api.metricCount({ statistic: Stats.SUM }),
      api.metricServerError({ statistic: Stats.SUM }),
    ],
  ),
  Latency: {
    description:
      "One request in a hundred waits three seconds or longer, not counting the time of its model. The table or Secrets " +
      "Manager is slow, or functions start often: compare `own_milliseconds` and `cold_start` of the operations in the " +
      "functions' logs (`request.answered`).",
    runbook: "The API is slow",
    // With fewer, one cold start would be the slowest hundredth.
    metric: ifEnough(100, ownTime(metricsNamespace, 99)),
    threshold: 3_000,
    datapointsToAlarm: 3,
  },
});

/** The conditions of function URLs, whose requests the API does not count. */
export const functionUrlConditions = ({ functions }: Monitored): Record<string, Condition> => {
  const withUrl = functions.filter(({ functionUrl }) => functionUrl);
  const conditions = withUrl.map(({ node, definition, lambda }) =>
    outages(
      `${node.id}UrlErrors`,
      {
        description:
          `the requests to the URL of the function "${definition.name}" end with a 5xx status. ` +
          "Look for `request.failed` in its log: 502 and 503 point to the model servers, 500 to the function.",
        runbook: "A function's own address fails",
      },
      [
        `${definition.name}: server errors at its URL`,
        lambda.metric("UrlRequestCount", { statistic: Stats.SUM }),
        lambda.metric("Url5xxCount", { statistic: Stats.SUM }),
      ],
    ),
  );
  return Object.assign({}, ...conditions);
};

/** The percentage in use of the account's concurrent executions in the region. */
export const concurrencyPercent = (): IMetric =>
  new MathExpression({
    label: "concurrent executions, percent of the account's quota",
    expression: "100 * used / SERVICE_QUOTA(used)",
    usingMetrics: {
      used: new Metric({
        namespace: "AWS/Usage",
        metricName: "ResourceCount",
        dimensionsMap: {
          Service: "Lambda",
          Type: "Resource",
          Resource: "ConcurrentExecutions",
          Class: "None",
        },
        statistic: Stats.MAXIMUM,
      }),
    },
    period,
  });

/** The reads or writes that DynamoDB throttled; the functions retry them. */
export const tableThrottles = (table: TableV2, access: "Read" | "Write"): IMetric =>
  table.metric(`${access}ThrottleEvents`, { statistic: Stats.SUM, period });

const tableThrottled = (table: TableV2, access: "Read" | "Write"): Condition => ({
  description:
    `DynamoDB throttles ${access.toLowerCase()}s of the table. A table that is paid by request takes more after some minutes, but ` +
    "a single key never takes more than 1,000 writes or 3,000 reads a second: find the account or address behind it.",
  runbook: "The table is throttled",
  metric: tableThrottles(table, access),
  threshold: 10,
  datapointsToAlarm: 2,
});

/** The limits of the account and the table. */
export const capacityConditions = ({ table }: Monitored): Record<string, Condition> => ({
  Concurrency: {
    description:
      "The account uses four fifths of its concurrent executions. At its quota Lambda throttles every function, the " +
      "authorizer included, so everything fails. Ask AWS for a higher quota now.",
    runbook: "Concurrency runs out",
    metric: concurrencyPercent(),
    threshold: 80,
    datapointsToAlarm: 1,
  },
  TableReadsThrottled: tableThrottled(table, "Read"),
  TableWritesThrottled: tableThrottled(table, "Write"),
});

const throttles = ({ definition, lambda }: ServiceFunction): Condition => ({
  description:
    `Lambda throttles the function "${definition.name}". Compare the account's concurrency with its quota ` +
    "and ask AWS for more, or find the caller behind the load in the API's access log.",
  runbook: "A function is throttled",
  metric: lambda.metricThrottles({ statistic: Stats.SUM, period }),
  threshold: 1,
  datapointsToAlarm: 2,
});

const failures = ({ definition, lambda }: ServiceFunction): Condition => ({
  description:
    `The function "${definition.name}" crashes, runs out of memory or times out. The end of its log has the ` +
    "reason. Responses with an error status do not count here.",
  runbook: "A function fails",
  metric: lambda.metricErrors({ statistic: Stats.SUM, period }),
  threshold: 3,
  datapointsToAlarm: 1,
});

export const functionConditions = ({ functions }: Monitored): Record<string, Condition> =>
  Object.fromEntries(
    functions.flatMap((each) => [
      [`${each.node.id}Throttles`, throttles(each)],
      // The authorizer throws to refuse.
      ...(each.definition.name === authorizerFunction.name
        ? []
        : [[`${each.node.id}Failures`, failures(each)] as const]),
    ]),
  );
