import { Duration } from "aws-cdk-lib";
import type { RestApi } from "aws-cdk-lib/aws-apigateway";
import { type IMetric, MathExpression, Metric, Stats } from "aws-cdk-lib/aws-cloudwatch";
import type { TableV2 } from "aws-cdk-lib/aws-dynamodb";
import type { RequestMetrics } from "../../shared/platform/telemetry/request-metrics.ts";
import type { ServiceFunction } from "./service-function.ts";
import type { WorkQueue } from "./work-queue.ts";

/** What is watched. */
export interface Monitored {
  readonly api: RestApi;
  /** All of the stage, whichever stack they are in. */
  readonly functions: readonly ServiceFunction[];
  /** Under which the functions file their metrics; the counts of their logs are filed there as well. */
  readonly metricsNamespace: string;
  /** Its errors are its answers: a refused token is thrown, as API Gateway demands. */
  readonly authorizer: ServiceFunction;
  readonly table: TableV2;
  readonly mail: WorkQueue;
  readonly messages: WorkQueue;
  readonly callbacks: WorkQueue;
  readonly jobs: WorkQueue;
}

/** How long each value that an alarm looks at covers. */
const period = Duration.minutes(5);

/** A condition somebody must look at. */
export interface Condition {
  /** What has happened and what to do about it, for whoever is woken by it. */
  readonly description: string;
  /** The heading in `infra/handbook/runbook.md`. */
  readonly runbook: string;
  readonly metric: IMetric;
  /** The lowest value that counts. */
  readonly threshold: number;
  /** Of the last three periods, how many must reach the threshold. */
  readonly datapointsToAlarm: 1 | 2 | 3;
}

/** Of a hundred requests, how many fail. Of a handful at night, one failure is not an outage. */
const failedPercent = (label: string, requests: IMetric, failed: IMetric): IMetric =>
  new MathExpression({
    label,
    expression: "IF(requests >= 20, 100 * failures / requests, 0)",
    usingMetrics: { requests, failures: failed },
    period,
  });

/** How long callers wait on account of the service itself, over all operations; the functions' logs carry it. */
export const ownTime = (namespace: string, percent: number): IMetric =>
  new Metric({
    namespace,
    metricName: "own_milliseconds" satisfies keyof RequestMetrics,
    statistic: Stats.percentile(percent),
    period,
  });

const serverErrors = (api: RestApi): Condition => ({
  description:
    "At least 5 % of the requests end with a 5xx status. Look for `gatewayError` and `status` in the API's access log: " +
    "502 and 503 point to the model servers or the authorizer, 500 to an error in the log of the function.",
  runbook: "The API fails",
  metric: failedPercent(
    "Server errors, percent",
    api.metricCount({ statistic: Stats.SUM }),
    api.metricServerError({ statistic: Stats.SUM }),
  ),
  threshold: 5,
  datapointsToAlarm: 2,
});

/** The API's slowness. */
export const apiConditions = ({ metricsNamespace }: Monitored): Record<string, Condition> => ({
  Latency: {
    description:
      "One request in a hundred waits for three seconds, beside the time that its model takes. The table or Secrets Manager " +
      "is slow, or functions start often: compare `own_milliseconds` and `cold_start` of the operations in the " +
      "functions' logs (`request.answered`).",
    runbook: "The API is slow",
    metric: ownTime(metricsNamespace, 99),
    threshold: 3_000,
    datapointsToAlarm: 3,
  },
});

/** What functions do at addresses of their own, where the API counts nothing. */
export const functionUrlConditions = ({ functions }: Monitored): Record<string, Condition> =>
  Object.fromEntries(
    functions
      .filter(({ functionUrl }) => functionUrl)
      .map(({ node, definition, lambda }) => [
        `${node.id}UrlErrors`,
        {
          description:
            `At least 5 % of the requests to the own address of the function "${definition.name}" end with a 5xx status. ` +
            "Look for `request.failed` in its log: 502 and 503 point to the model servers, 500 to the function.",
          runbook: "A function's own address fails",
          metric: failedPercent(
            `${definition.name}: server errors at its own address, percent`,
            lambda.metric("UrlRequestCount", { statistic: Stats.SUM }),
            lambda.metric("Url5xxCount", { statistic: Stats.SUM }),
          ),
          threshold: 5,
          datapointsToAlarm: 2,
        },
      ]),
  );

/** How much of the places for executions is taken that the account has in the region, for all that runs there. */
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

/** Reads and writes that DynamoDB refused at the first try; the functions try again. */
export const tableThrottles = (table: TableV2, access: "Read" | "Write"): IMetric =>
  table.metric(`${access}ThrottleEvents`, { statistic: Stats.SUM, period });

const tableThrottled = (table: TableV2, access: "Read" | "Write"): Condition => ({
  description:
    `DynamoDB refuses ${access.toLowerCase()}s of the table. A table that is paid by request takes more after some minutes, but ` +
    "a single key never takes more than 1,000 writes or 3,000 reads a second: find the account or address behind it.",
  runbook: "The table is throttled",
  metric: tableThrottles(table, access),
  threshold: 10,
  datapointsToAlarm: 2,
});

/** What the account and the table give no more of. */
export const capacityConditions = ({ table }: Monitored): Record<string, Condition> => ({
  Concurrency: {
    description:
      "Four fifths of the executions that the account may have at a time are taken. At its quota Lambda refuses calls of " +
      "every function, the authorizer's too, and so everything fails. Ask AWS for a higher quota now.",
    runbook: "Concurrency runs out",
    metric: concurrencyPercent(),
    threshold: 80,
    datapointsToAlarm: 1,
  },
  TableReadsThrottled: tableThrottled(table, "Read"),
  TableWritesThrottled: tableThrottled(table, "Write"),
});

/** Messages that wait too long or cannot be handled. */
export const queueConditions = ({
  mail,
  messages,
  callbacks,
  jobs,
}: Monitored): Record<string, Condition> => ({
  MailDeadLetters: {
    description:
      "A mail could not be sent in five attempts. Read the reason in the mail function's log, put it right (often SES: " +
      "identity not verified, account in the sandbox) and redrive the dead-letter queue. Its links are made anew.",
    runbook: "Mails are dead-lettered",
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
    runbook: "Mails wait",
    metric: mail.queue.metricApproximateAgeOfOldestMessage({ statistic: Stats.MAXIMUM, period }),
    threshold: 15 * 60,
    datapointsToAlarm: 1,
  },
  MessageDeadLetters: {
    description:
      "A message could not be answered, and not even an apology went out for a quarter of an hour. Read the reason in the " +
      "messaging function's log; most often the platform's access token has expired. Apologies are tried again by themselves.",
    runbook: "Messages are dead-lettered",
    metric: messages.deadLetterQueue.metricApproximateAgeOfOldestMessage({
      statistic: Stats.MAXIMUM,
      period,
    }),
    threshold: 15 * 60,
    datapointsToAlarm: 1,
  },
  MessageDelay: {
    description:
      "A message has been waiting for its answer for 15 minutes. Look at the messaging function's throttles and log, and at " +
      "the model servers.",
    runbook: "Messages wait",
    metric: messages.queue.metricApproximateAgeOfOldestMessage({ statistic: Stats.MAXIMUM, period }),
    threshold: 15 * 60,
    datapointsToAlarm: 1,
  },
  JobDeadLetters: {
    description:
      "A step of a job broke off every time, so that the job stands still. Read the reason in the log of the function " +
      '"job-worker", put it right and redrive the dead-letter queue; every step may be done again.',
    runbook: "Jobs are dead-lettered",
    metric: jobs.deadLetterQueue.metricApproximateNumberOfMessagesVisible({
      statistic: Stats.MAXIMUM,
      period,
    }),
    threshold: 1,
    datapointsToAlarm: 1,
  },
  JobDelay: {
    description:
      "Pieces of recordings have been waiting for an hour. Look whether the model of transcription can be reached; when it can, there " +
      "is more to do than JOB_PIECES_AT_ONCE lets it do.",
    runbook: "Jobs wait",
    metric: jobs.queue.metricApproximateAgeOfOldestMessage({ statistic: Stats.MAXIMUM, period }),
    threshold: 60 * 60,
    datapointsToAlarm: 1,
  },
  CallbackDeadLetters: {
    description:
      "A callback could not even be tried: the callback function broke off each time. Read the reason in its log, put it " +
      "right and redrive the dead-letter queue. Receivers that refuse callbacks ring no alarm.",
    runbook: "Callbacks are dead-lettered",
    metric: callbacks.deadLetterQueue.metricApproximateNumberOfMessagesVisible({
      statistic: Stats.MAXIMUM,
      period,
    }),
    threshold: 1,
    datapointsToAlarm: 1,
  },
});

const throttles = ({ definition, lambda }: ServiceFunction): Condition => ({
  description:
    `Lambda refuses invocations of the function "${definition.name}". Compare the account's concurrency with its quota ` +
    "and ask AWS for more, or find the caller behind the load in the API's access log.",
  runbook: "A function is throttled",
  metric: lambda.metricThrottles({ statistic: Stats.SUM, period }),
  threshold: 1,
  datapointsToAlarm: 2,
});

const failures = ({ definition, lambda }: ServiceFunction): Condition => ({
  description:
    `The function "${definition.name}" crashes, runs out of memory or is cut off by its time-out. Its log ends with the ` +
    "reason; answers with an error status are not counted here.",
  runbook: "A function fails",
  metric: lambda.metricErrors({ statistic: Stats.SUM, period }),
  threshold: 3,
  datapointsToAlarm: 1,
});

/** What AWS counts nothing like: each metric is the number of lines with one event in the functions' logs. */
export const eventConditions = (
  events: Readonly<
    Record<
      "uncounted" | "unchecked" | "brokenOff" | "notQueueable" | "cameBack" | "canaryFailed",
      { readonly metric: IMetric }
    >
  >,
): Record<string, Condition> => ({
  UncountedRequests: {
    description:
      "Requests are counted in the functions' memory, because the table does not answer within half a second. Look at the " +
      "table's throttled requests and at AWS's health page; meanwhile callers get a tenth of their minute's limit.",
    runbook: "Requests are not counted",
    metric: events.uncounted.metric,
    threshold: 20,
    datapointsToAlarm: 1,
  },
  UncheckedTokens: {
    description:
      "The authorizer cannot check tokens, so that callers with good ones get 500. The `reason` of `authorizer.failed` in " +
      "its log says why the signing secret does not answer.",
    runbook: "Tokens cannot be checked",
    metric: events.unchecked.metric,
    threshold: 3,
    datapointsToAlarm: 1,
  },
  BrokenStreams: {
    description:
      "Streamed answers stop before their end, with a 200 that no status count sees. Read `code` and `reason` of " +
      "`chat.broken_off` in the chat function's log, then look at the model server.",
    runbook: "Streams break off",
    metric: events.brokenOff.metric,
    threshold: 5,
    datapointsToAlarm: 1,
  },
  UnqueueableMessages: {
    description:
      "SQS refuses what a person wrote to the assistant, so that nobody answers it. `code` of `message.not_queueable` in the " +
      "webhook's log is the reason; everybody else is answered.",
    runbook: "A message cannot be queued",
    metric: events.notQueueable.metric,
    threshold: 1,
    datapointsToAlarm: 1,
  },
  MailsComeBack: {
    description:
      "Ten mails in five minutes came back for good or were complained about. Somebody may be registering addresses that are not " +
      "theirs; SES ends the sending of those from whom too many come back, for every account. `reason` of `mail.feedback` tells.",
    runbook: "Mails come back",
    metric: events.cameBack.metric,
    threshold: 10,
    datapointsToAlarm: 1,
  },
  CanaryFails: {
    description:
      "The service does not answer the canary as it answers callers, twice in a row. `reason` of `canary.failed` in its log says " +
      "which request fails and how.",
    runbook: "The canary fails",
    metric: events.canaryFailed.metric,
    threshold: 1,
    datapointsToAlarm: 2,
  },
});

/** What tells of a bad release of the API, beside its functions' failures: its server errors. */
export const apiReleaseConditions = (api: RestApi): Record<string, Condition> => ({
  ServerErrors: serverErrors(api),
});

/** What tells of a bad release of functions: each one's failures. An authorizer's are its refusals, so it has none. */
export const functionReleaseConditions = (functions: readonly ServiceFunction[]): Record<string, Condition> =>
  Object.fromEntries(functions.map((each) => [`${each.node.id}Failures`, failures(each)]));

/** Each function's throttles. */
export const functionConditions = ({ functions }: Monitored): Record<string, Condition> =>
  Object.fromEntries(functions.map((each) => [`${each.node.id}Throttles`, throttles(each)]));
