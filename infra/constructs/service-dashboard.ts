import {
  type Alarm,
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IMetric,
  MathExpression,
  Stats,
} from "aws-cdk-lib/aws-cloudwatch";
import { Construct } from "constructs";
import { type BackendName, backendNames, modelTasks } from "../../shared/platform/telemetry/backend-uses.ts";
import type { RequestMetrics } from "../../shared/platform/telemetry/request-metrics.ts";
import { concurrencyPercent, type Monitored, ownTime, tableThrottles } from "./alarm-conditions.ts";
import type { EventCount } from "./alarms.ts";
import { type BackendMetrics, backendMetrics } from "./backend-monitoring.ts";
import type { WorkQueue } from "./work-queue.ts";

const width = 12;

export interface ServiceDashboardProps extends Monitored {
  readonly alarms: readonly Alarm[];
  readonly eventCounts: readonly EventCount[];
}

/**
 * The service at a glance: which alarms ring, the API's traffic, each operation's, backend's and function's work, the
 * queues.
 */
export class ServiceDashboard extends Construct {
  constructor(
    scope: Construct,
    id: string,
    {
      api,
      functions,
      metricsNamespace,
      table,
      mail,
      messages,
      callbacks,
      jobs,
      alarms,
      eventCounts,
    }: ServiceDashboardProps,
  ) {
    super(scope, id);
    const dashboard = new Dashboard(this, "Dashboard");
    dashboard.addWidgets(new AlarmStatusWidget({ title: "Alarms", alarms: [...alarms], width: 2 * width }));
    dashboard.addWidgets(
      new GraphWidget({
        title: "Requests",
        width,
        left: [
          api.metricCount({ label: "all" }),
          api.metricClientError({ label: "4xx", statistic: Stats.SUM }),
          api.metricServerError({ label: "5xx", statistic: Stats.SUM }),
        ],
      }),
      new GraphWidget({
        title: "Time to answer",
        width,
        left: [50, 95, 99].map((percent) =>
          api.metricLatency({ label: `p${percent}`, statistic: Stats.percentile(percent) }),
        ),
      }),
    );
    dashboard.addWidgets(
      new GraphWidget({
        title: "The service's own time, in milliseconds",
        width: width / 2,
        left: [50, 95, 99].map((percent) => ownTime(metricsNamespace, percent)),
      }),
      ...functions
        .filter(({ functionUrl }) => functionUrl)
        .map(
          ({ definition, lambda }) =>
            new GraphWidget({
              title: `Own address of ${definition.name}`,
              width: width / 2,
              left: ["UrlRequestCount", "Url4xxCount", "Url5xxCount"].map((name) =>
                lambda.metric(name, { statistic: Stats.SUM }),
              ),
            }),
        ),
      new GraphWidget({ title: "Account", width: width / 2, left: [concurrencyPercent()] }),
      new GraphWidget({
        title: "Table: throttled",
        width: width / 2,
        left: [tableThrottles(table, "Read"), tableThrottles(table, "Write")],
      }),
    );
    dashboard.addWidgets(
      operationWidget("requests", metricsNamespace, "milliseconds", Stats.SAMPLE_COUNT),
      operationWidget("p95 in milliseconds", metricsNamespace, "milliseconds", Stats.percentile(95)),
      operationWidget("4xx", metricsNamespace, "client_error", Stats.SUM),
      operationWidget("5xx and broken streams", metricsNamespace, "server_error", Stats.SUM),
    );
    dashboard.addWidgets(
      backendWidget("calls", metricsNamespace, backendNames, ({ calls }) => calls),
      backendWidget(
        "p95 in milliseconds",
        metricsNamespace,
        backendNames,
        ({ slowMilliseconds }) => slowMilliseconds,
      ),
      backendWidget("failed calls", metricsNamespace, backendNames, ({ failures }) => failures),
      backendWidget("circuits opened", metricsNamespace, modelTasks, ({ circuitsOpened }) => circuitsOpened),
    );
    dashboard.addWidgets(
      new GraphWidget({
        title: "Functions: p95 duration",
        width,
        left: functions.map(({ definition, lambda }) =>
          lambda.metricDuration({ label: definition.name, statistic: Stats.percentile(95) }),
        ),
      }),
      new GraphWidget({
        title: "Functions: failures and throttles",
        width,
        left: functions.map(({ definition, lambda }) => lambda.metricErrors({ label: definition.name })),
        right: functions.map(({ definition, lambda }) => lambda.metricThrottles({ label: definition.name })),
      }),
    );
    dashboard.addWidgets(queueWidget("Mails", mail), queueWidget("Messages", messages));
    dashboard.addWidgets(queueWidget("Callbacks", callbacks), queueWidget("Jobs", jobs));
    dashboard.addWidgets(
      new GraphWidget({
        title: "Events in the logs",
        width: 2 * width,
        left: eventCounts.map(({ metric }) => metric),
      }),
    );
  }
}

const queueWidget = (what: string, { queue, deadLetterQueue }: WorkQueue): GraphWidget =>
  new GraphWidget({
    title: `${what}: waiting and dead-lettered`,
    width,
    left: [
      queue.metricApproximateNumberOfMessagesVisible({ label: "waiting" }),
      deadLetterQueue.metricApproximateNumberOfMessagesVisible({ label: "dead-lettered" }),
    ],
  });

/** One line for each model server's task, and for the messaging platform. */
const backendWidget = (
  what: string,
  namespace: string,
  backends: readonly BackendName[],
  metricOf: (metrics: BackendMetrics) => IMetric,
): GraphWidget =>
  new GraphWidget({
    title: `Backends: ${what}`,
    width: width / 2,
    left: backends.map((backend) => metricOf(backendMetrics(namespace, backend))),
  });

/** One line for each operation that was called, and for the work on each queue: the functions' logs carry these metrics. */
const operationWidget = (
  what: string,
  namespace: string,
  metric: keyof RequestMetrics,
  statistic: string,
): GraphWidget =>
  new GraphWidget({
    title: `Operations: ${what}`,
    width: width / 2,
    left: [
      new MathExpression({
        label: "",
        expression: `SEARCH('{"${namespace}",operation} MetricName="${metric}"', '${statistic}', 300)`,
        usingMetrics: {},
      }),
    ],
  });
