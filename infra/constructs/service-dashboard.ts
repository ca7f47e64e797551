import {
  type Alarm,
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IMetric,
  type IWidget,
  MathExpression,
  Stats,
} from "aws-cdk-lib/aws-cloudwatch";
import { Construct } from "constructs";
import { serverSettings } from "../../shared/platform/config/model-servers.ts";
import { backendNames, type MeasuredName, modelTasks } from "../../shared/platform/telemetry/backend-uses.ts";
import type { RequestMetrics } from "../../shared/platform/telemetry/request-metrics.ts";
import { concurrencyPercent, type Monitored, ownTime, tableThrottles } from "./alarm-conditions.ts";
import { type BackendMetrics, backendMetrics } from "./backend-monitoring.ts";
import type { WorkQueue } from "./work-queue.ts";

const fullWidth = 24;
const half = fullWidth / 2;
const quarter = fullWidth / 4;

export interface ServiceDashboardProps extends Monitored {
  readonly alarms: readonly Alarm[];
  readonly eventCounts: readonly IMetric[];
}

/** The service at a glance: alarms, the API's traffic, the work of operations, backends and functions, the queues. */
export class ServiceDashboard extends Construct {
  constructor(scope: Construct, id: string, props: ServiceDashboardProps) {
    super(scope, id);
    const { alarms, eventCounts, mail, messages, callbacks, jobs, exports } = props;
    const rows: readonly (readonly IWidget[])[] = [
      [new AlarmStatusWidget({ title: "Alarms", alarms: [...alarms], width: fullWidth })],
      requestWidgets(props),
      ownTimeWidgets(props),
      operationWidgets(props),
      backendWidgets(props),
      functionWidgets(props),
      [queueWidget("Mails", mail), queueWidget("Messages", messages)],
      [queueWidget("Callbacks", callbacks), queueWidget("Jobs", jobs)],
      [queueWidget("Exports", exports)],
      [new GraphWidget({ title: "Events in the logs", width: fullWidth, left: [...eventCounts] })],
    ];
    const dashboard = new Dashboard(this, "Dashboard");
    for (const row of rows) dashboard.addWidgets(...row);
  }
}

const percents = [50, 95, 99];

const requestWidgets = ({ api }: Monitored): GraphWidget[] => [
  new GraphWidget({
    title: "Requests",
    width: half,
    left: [
      api.metricCount({ label: "all" }),
      api.metricClientError({ label: "4xx", statistic: Stats.SUM }),
      api.metricServerError({ label: "5xx", statistic: Stats.SUM }),
    ],
  }),
  new GraphWidget({
    title: "Response time",
    width: half,
    left: percents.map((percent) =>
      api.metricLatency({ label: `p${percent}`, statistic: Stats.percentile(percent) }),
    ),
  }),
];

const ownTimeWidgets = ({ functions, metricsNamespace, table }: Monitored): GraphWidget[] => [
  new GraphWidget({
    title: "The service's own time, in milliseconds",
    width: quarter,
    left: percents.map((percent) => ownTime(metricsNamespace, percent)),
  }),
  ...functions
    .filter(({ functionUrl }) => functionUrl)
    .map(
      ({ definition, lambda }) =>
        new GraphWidget({
          title: `URL of ${definition.name}`,
          width: quarter,
          left: ["UrlRequestCount", "Url4xxCount", "Url5xxCount"].map((name) =>
            lambda.metric(name, { statistic: Stats.SUM }),
          ),
        }),
    ),
  new GraphWidget({ title: "Account", width: quarter, left: [concurrencyPercent()] }),
  new GraphWidget({
    title: "Table: throttled",
    width: quarter,
    left: [tableThrottles(table, "Read"), tableThrottles(table, "Write")],
  }),
];

const operationWidgets = ({ metricsNamespace }: Monitored): GraphWidget[] => [
  operationWidget("requests", metricsNamespace, "milliseconds", Stats.SAMPLE_COUNT),
  operationWidget("p95 in milliseconds", metricsNamespace, "milliseconds", Stats.percentile(95)),
  operationWidget("4xx", metricsNamespace, "client_error", Stats.SUM),
  operationWidget("5xx and broken streams", metricsNamespace, "server_error", Stats.SUM),
];

/** The servers of tasks that have more than one. */
const serversOf = (settings: Monitored["settings"]): MeasuredName[] =>
  modelTasks.flatMap((task) => {
    const servers: readonly { readonly name: string }[] = settings[serverSettings[task].list] ?? [];
    return servers.length > 1 ? servers.map(({ name }) => `${task}_${name}` as const) : [];
  });

const backendWidgets = ({ metricsNamespace: namespace, settings }: Monitored): GraphWidget[] => {
  const servers = serversOf(settings);
  const all = [...backendNames, ...servers];
  return [
    backendWidget("calls", namespace, all, ({ calls }) => calls),
    backendWidget("p95 in milliseconds", namespace, all, ({ slowMilliseconds }) => slowMilliseconds),
    backendWidget("failed calls", namespace, all, ({ failures }) => failures),
    backendWidget(
      "circuits opened",
      namespace,
      [...modelTasks, ...servers],
      ({ circuitsOpened }) => circuitsOpened,
    ),
  ];
};

const functionWidgets = ({ functions }: Monitored): GraphWidget[] => [
  new GraphWidget({
    title: "Functions: p95 duration",
    width: half,
    left: functions.map(({ definition, lambda }) =>
      lambda.metricDuration({ label: definition.name, statistic: Stats.percentile(95) }),
    ),
  }),
  new GraphWidget({
    title: "Functions: failures and throttles",
    width: half,
    left: functions.map(({ definition, lambda }) => lambda.metricErrors({ label: definition.name })),
    right: functions.map(({ definition, lambda }) => lambda.metricThrottles({ label: definition.name })),
  }),
];

const queueWidget = (what: string, { queue, deadLetterQueue }: WorkQueue): GraphWidget =>
  new GraphWidget({
    title: `${what}: waiting and dead-lettered`,
    width: half,
    left: [
      queue.metricApproximateNumberOfMessagesVisible({ label: "waiting" }),
      deadLetterQueue.metricApproximateNumberOfMessagesVisible({ label: "dead-lettered" }),
    ],
  });

/** One line for each backend: each task of models, each of its servers if it has several, and the messaging platform. */
const backendWidget = (
  what: string,
  namespace: string,
  backends: readonly MeasuredName[],
  metricOf: (metrics: BackendMetrics) => IMetric,
): GraphWidget =>
  new GraphWidget({
    title: `Backends: ${what}`,
    width: quarter,
    left: backends.map((backend) => metricOf(backendMetrics(namespace, backend))),
  });

/** One line for each operation in use, and for the work of each queue. The functions' logs carry these metrics. */
const operationWidget = (
  what: string,
  namespace: string,
  metric: keyof RequestMetrics,
  statistic: string,
): GraphWidget =>
  new GraphWidget({
    title: `Operations: ${what}`,
    width: quarter,
    left: [
      new MathExpression({
        label: "",
        expression: `SEARCH('{"${namespace}",operation} MetricName="${metric}"', '${statistic}', 300)`,
        usingMetrics: {},
      }),
    ],
  });
