import { Duration, Stack, Token } from "aws-cdk-lib";
import {
  ComparisonOperator,
  MathExpression,
  Metric,
  Stats,
  TreatMissingData,
} from "aws-cdk-lib/aws-cloudwatch";
import { FilterPattern, MetricFilter } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import { canaryFunction } from "../../functions/canary/contract.ts";
import { mailFeedbackFunction } from "../../functions/mail-feedback/contract.ts";
import type { Condition, Monitored } from "./alarm-conditions.ts";

const summed = { statistic: Stats.SUM, period: Duration.minutes(5) };

/** Rings when nothing is measured any longer, unlike all others. */
const canaryStopped = ({ functions, settings }: Monitored): Record<string, Condition> => {
  const canary = functions.find(({ definition }) => definition.name === canaryFunction.name);
  if (settings.CANARY === "off" || !canary) return {};
  return {
    CanaryStopped: {
      description:
        "The canary has not run for a quarter of an hour, so nothing notices an outage without callers. Someone disabled its " +
        "schedule, or Lambda throttles it.",
      runbook: "The canary has stopped",
      // Of the alias: the check of a release does not count.
      metric: canary.alias.metricInvocations(summed),
      threshold: 1,
      comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
      treatMissingData: TreatMissingData.BREACHING,
      datapointsToAlarm: 3,
    },
  };
};

/** Counts the requests to the API that got 401, from its access log: the authorizer refuses most of them before any function. */
const countUnauthorized = (scope: Construct, { accessLog, metricsNamespace }: Monitored): Metric => {
  const filter = new MetricFilter(scope, "Unauthorized", {
    logGroup: accessLog,
    metricNamespace: metricsNamespace,
    metricName: "unauthorized",
    metricValue: "1",
    filterPattern: FilterPattern.stringValue("$.status", "=", "401"),
  });
  return filter.metric(summed);
};

const unauthorizedWave = (scope: Construct, monitored: Monitored): Condition => ({
  description:
    "Every second request to the API gets 401. Someone tries stolen or invented tokens, a large client's token has expired, or the " +
    "signing key was changed. Count `sourceAddress` of `status` 401 in the API's access log.",
  runbook: "Callers are not authenticated",
  metric: new MathExpression({
    label: "401, percent of requests",
    // A few scanners at night are no wave.
    expression: "IF(requests >= 50, 100 * FILL(unauthorized, 0) / requests, 0)",
    usingMetrics: {
      requests: monitored.api.metricCount({ statistic: Stats.SUM }),
      unauthorized: countUnauthorized(scope, monitored),
    },
    period: summed.period,
  }),
  threshold: 50,
  datapointsToAlarm: 2,
});

/** The same at the URLs of functions, which API Gateway neither throttles nor logs. Lambda counts no single status. */
const refusedAtUrls = ({ functions }: Monitored): Record<string, Condition> =>
  Object.fromEntries(
    functions
      .filter(({ functionUrl }) => functionUrl)
      .map(({ node, definition, lambda }) => [
        `${node.id}UrlRefusals`,
        {
          description:
            `Every second request to the URL of the function "${definition.name}" is refused, and each costs an invocation. Count ` +
            "`status` and `account_id` in its log. `CHAT_URL=off` removes the URL; streams then use the API's address.",
          runbook: "Callers are not authenticated",
          metric: new MathExpression({
            label: "4xx, percent of requests at the URL",
            expression: "IF(requests >= 500, 100 * FILL(refused, 0) / requests, 0)",
            usingMetrics: {
              requests: lambda.metric("UrlRequestCount", summed),
              refused: lambda.metric("Url4xxCount", summed),
            },
            period: summed.period,
          }),
          threshold: 50,
          datapointsToAlarm: 2,
        } satisfies Condition,
      ]),
  );

const feedback = {
  runbook: "Mail feedback is lost",
  threshold: 1,
  datapointsToAlarm: 1,
} as const;

/** Events of SES that never arrive, on each side of the invocation: EventBridge gives up after a day, Lambda after three attempts. */
const feedbackLost = ({ functions, mailFeedbackRule }: Monitored): Record<string, Condition> => {
  const handler = functions.find(({ definition }) => definition.name === mailFeedbackFunction.name);
  if (!handler) return {};
  return {
    MailFeedbackDropped: {
      ...feedback,
      description:
        'The function "mail-feedback" failed three times for a mail that came back, so its address still gets mails. The end of ' +
        "its log has the reason.",
      metric: handler.lambda.metric("AsyncEventsDropped", summed),
    },
    MailFeedbackUndelivered: {
      ...feedback,
      description:
        'EventBridge cannot invoke the function "mail-feedback", so addresses whose mails come back still get some. Check the ' +
        "rule's target and the function's permission.",
      metric: new Metric({
        ...summed,
        namespace: "AWS/Events",
        metricName: "FailedInvocations",
        dimensionsMap: { RuleName: mailFeedbackRule.ruleName },
      }),
    },
  };
};

/** ACM renews 45 or 60 days before the end, so by then renewing has failed for weeks. */
const renewalDays = 21;

const certificateEnds = (what: string, CertificateArn: string): Condition => ({
  description:
    `The certificate of the ${what} ends within ${renewalDays} days and was not renewed. Check its validation record in your DNS, or ` +
    "import the next one if ACM does not renew it.",
  runbook: "A certificate ends",
  metric: new Metric({
    namespace: "AWS/CertificateManager",
    metricName: "DaysToExpiry",
    dimensionsMap: { CertificateArn },
    statistic: Stats.MINIMUM,
    period: Duration.days(1),
  }),
  threshold: renewalDays,
  comparisonOperator: ComparisonOperator.LESS_THAN_OR_EQUAL_TO_THRESHOLD,
  // ACM writes it twice a day, and no longer once the certificate has ended.
  treatMissingData: TreatMissingData.IGNORE,
  datapointsToAlarm: 1,
  evaluationPeriods: 1,
});

const regionOf = (arn: string | undefined): string | undefined => arn?.split(":")[3];

/** The certificates of the stage's domains. An alarm sees only metrics of its own region, and a stream's certificate is in us-east-1. */
const certificatesEnd = (scope: Construct, { settings }: Monitored): Record<string, Condition> => {
  const { API_CERTIFICATE_ARN: api, STREAM_CERTIFICATE_ARN: stream } = settings;
  const { region } = Stack.of(scope);
  const own = Token.isUnresolved(region) ? regionOf(api) : region;
  return {
    ...(api ? { ApiCertificateEnds: certificateEnds("API's domain", api) } : {}),
    ...(stream && regionOf(stream) === own
      ? { StreamCertificateEnds: certificateEnds("streams' domain", stream) }
      : {}),
  };
};

/**
 * Conditions that no failing request shows.
 *
 * @param scope gets the filter that counts refused requests.
 */
export const rareConditions = (scope: Construct, monitored: Monitored): Record<string, Condition> => ({
  ...canaryStopped(monitored),
  UnauthorizedWave: unauthorizedWave(scope, monitored),
  ...refusedAtUrls(monitored),
  ...feedbackLost(monitored),
  ...certificatesEnd(scope, monitored),
});
