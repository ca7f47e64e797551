import { Duration } from "aws-cdk-lib";
import type { RestApi } from "aws-cdk-lib/aws-apigateway";
import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  MathExpression,
  Stats,
  TreatMissingData,
} from "aws-cdk-lib/aws-cloudwatch";
import { Construct } from "constructs";
import type { ServiceFunction } from "./service-function.ts";
import type { WorkQueue } from "./work-queue.ts";

const period = Duration.minutes(5);

export interface Monitored {
  readonly api: RestApi;
  readonly functions: readonly ServiceFunction[];
  /** Its errors are its answers: a refused token is thrown, as API Gateway demands. */
  readonly authorizer: ServiceFunction;
  readonly mail: WorkQueue;
}

interface Condition {
  /** What has happened and what to do about it, for whoever is woken by it. */
  readonly description: string;
  readonly metric: IMetric;
  /** The lowest value that counts. */
  readonly threshold: number;
  /** Of the last three periods, how many must reach the threshold. */
  readonly datapointsToAlarm: 1 | 2 | 3;
}

/** The conditions somebody must look at. */
export class Alarms extends Construct {
  readonly all: readonly Alarm[];

  constructor(scope: Construct, id: string, monitored: Monitored) {
    super(scope, id);
    const { authorizer, functions } = monitored;
    const conditions: Readonly<Record<string, Condition>> = {
      ...apiConditions(monitored),
      ...queueConditions(monitored),
      ...Object.fromEntries(functions.map((each) => [`${each.node.id}Throttles`, throttles(each)])),
      ...Object.fromEntries(
        functions
          .filter((each) => each !== authorizer)
          .map((each) => [`${each.node.id}Failures`, failures(each)]),
      ),
    };
    this.all = Object.entries(conditions).map(
      ([name, { description, metric, threshold, datapointsToAlarm }]) =>
        new Alarm(this, name, {
          alarmDescription: description,
          metric,
          threshold,
          datapointsToAlarm,
          evaluationPeriods: 3,
          comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
          treatMissingData: TreatMissingData.NOT_BREACHING,
        }),
    );
  }
}

const apiConditions = ({ api }: Monitored): Record<string, Condition> => ({
  ServerErrors: {
    description:
      "At least 5 % of the requests end with a 5xx status. Look for `gatewayError` and `status` in the API's access log: " +
      "502 and 503 point to the model servers or the authorizer, 500 to an error in the log of the function.",
    metric: new MathExpression({
      label: "Server errors, percent",
      // Of a handful of requests at night, one failure is not an outage.
      expression: "IF(requests >= 20, 100 * failures / requests, 0)",
      usingMetrics: {
        requests: api.metricCount({ statistic: Stats.SUM }),
        failures: api.metricServerError({ statistic: Stats.SUM }),
      },
      period,
    }),
    threshold: 5,
    datapointsToAlarm: 2,
  },
  Latency: {
    description:
      "One request in a hundred takes longer than a minute. The model servers are probably loading or overloaded: " +
      "compare `functionMilliseconds` of the routes in the API's access log, then look at the servers' own queues.",
    metric: api.metricLatency({ statistic: Stats.percentile(99), period }),
    threshold: 60_000,
    datapointsToAlarm: 3,
  },
});

const queueConditions = ({ mail }: Monitored): Record<string, Condition> => ({
  MailDeadLetters: {
    description:
      "A mail could not be sent in five attempts. Read the reason in the mail function's log, put it right (often SES: " +
      "identity not verified, account in the sandbox) and redrive the dead-letter queue. Its links are made anew.",
    metric: mail.deadLetterQueue.metricApproximateNumberOfMessagesVisible({
      statistic: Stats.MAXIMUM,
      period,
    }),
    threshold: 1,
    datapointsToAlarm: 1,
  },
  MailDelay: {
    description:
      "A mail has been waiting for 15 minutes. Look at the mail function's throttles and log, and at SES's sending limit.",
    metric: mail.queue.metricApproximateAgeOfOldestMessage({ statistic: Stats.MAXIMUM, period }),
    threshold: 15 * 60,
    datapointsToAlarm: 1,
  },
});

const throttles = ({ definition, lambda }: ServiceFunction): Condition => ({
  description:
    `Lambda refuses invocations of the function "${definition.name}". Compare the account's concurrency with its quota ` +
    "and ask AWS for more, or find the caller behind the load in the API's access log.",
  metric: lambda.metricThrottles({ statistic: Stats.SUM, period }),
  threshold: 1,
  datapointsToAlarm: 2,
});

const failures = ({ definition, lambda }: ServiceFunction): Condition => ({
  description:
    `The function "${definition.name}" crashes, runs out of memory or is cut off by its time-out. Its log ends with the ` +
    "reason; answers with an error status are not counted here.",
  metric: lambda.metricErrors({ statistic: Stats.SUM, period }),
  threshold: 3,
  datapointsToAlarm: 1,
});
