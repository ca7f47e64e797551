import { type Alarm, AlarmStatusWidget, Dashboard, GraphWidget, Stats } from "aws-cdk-lib/aws-cloudwatch";
import { Construct } from "constructs";
import type { Monitored } from "./alarms.ts";

const width = 12;

/** The service at a glance: which alarms ring, the API's traffic, each function's work, the mail queue. */
export class ServiceDashboard extends Construct {
  constructor(
    scope: Construct,
    id: string,
    { api, functions, mail, alarms }: Monitored & { readonly alarms: readonly Alarm[] },
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
    dashboard.addWidgets(
      new GraphWidget({
        title: "Mails: waiting and set aside",
        width,
        left: [
          mail.queue.metricApproximateNumberOfMessagesVisible({ label: "waiting" }),
          mail.deadLetterQueue.metricApproximateNumberOfMessagesVisible({ label: "set aside" }),
        ],
      }),
    );
  }
}
