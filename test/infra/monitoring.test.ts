import { readFile } from "node:fs/promises";
import { App, Stack } from "aws-cdk-lib";
import { Annotations, Match } from "aws-cdk-lib/assertions";
import { beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { functionDefinitions } from "../../functions/manifest.ts";
import { warnOfSilence } from "../../infra/service.ts";
import { pascalCase } from "../../infra/stacks/function-group.ts";
import { type BackendName, backendNames } from "../../shared/platform/telemetry/backend-uses.ts";
import { logEvents } from "../../shared/platform/telemetry/log-events.ts";
import { measured } from "../../shared/platform/telemetry/request-metrics.ts";
import { inRequestScope, openRequestScope } from "../../shared/platform/telemetry/request-scope.ts";
import {
  everyOption,
  exampleStage,
  resourcesOfType,
  type SynthesizedService,
  synthesizeService,
  type Template,
} from "./synthesized-service.ts";

const alarm = z.object({
  AlarmDescription: z.string(),
  AlarmActions: z.array(z.unknown()).default([]),
  OKActions: z.array(z.unknown()).default([]),
  TreatMissingData: z.string(),
});

/** Our own metrics in an alarm, directly or in an expression. */
const ownMetrics = z
  .object({
    MetricName: z.string().optional(),
    Namespace: z.string().optional(),
    Metrics: z
      .array(
        z.object({
          MetricStat: z
            .object({ Metric: z.object({ MetricName: z.string(), Namespace: z.string() }) })
            .optional(),
        }),
      )
      .default([]),
  })
  .transform(({ MetricName, Namespace, Metrics }) => [
    ...(MetricName && Namespace ? [{ name: MetricName, namespace: Namespace }] : []),
    ...Metrics.flatMap(({ MetricStat }) =>
      MetricStat ? [{ name: MetricStat.Metric.MetricName, namespace: MetricStat.Metric.Namespace }] : [],
    ),
  ]);

const alarmRule = z.object({
  Threshold: z.number(),
  DatapointsToAlarm: z.number(),
  EvaluationPeriods: z.number(),
  ComparisonOperator: z.string(),
  TreatMissingData: z.string(),
  Period: z.number().optional(),
  Statistic: z.string().optional(),
  ExtendedStatistic: z.string().optional(),
  MetricName: z.string().optional(),
  Metrics: z
    .array(
      z.object({
        Expression: z.string().optional(),
        MetricStat: z.object({ Stat: z.string(), Period: z.number() }).optional(),
      }),
    )
    .default([]),
});

/** When an alarm rings: how many of three periods of which length, at which value of what. */
const ruleOf = (properties: unknown) => {
  const rule = alarmRule.parse(properties);
  const stats = rule.Metrics.flatMap(({ MetricStat }) => (MetricStat ? [MetricStat] : []));
  return {
    missing: rule.TreatMissingData,
    rings: `${rule.DatapointsToAlarm}/${rule.EvaluationPeriods} at ${rule.Threshold}`,
    comparison: rule.ComparisonOperator,
    periods: [...new Set([...(rule.Period ? [rule.Period] : []), ...stats.map(({ Period }) => Period)])],
    of: [
      rule.Metrics.find(({ Expression }) => Expression)?.Expression ?? rule.MetricName,
      rule.Statistic ?? rule.ExtendedStatistic ?? stats.map(({ Stat }) => Stat).join(" "),
    ].join(": "),
  };
};

const failedCalls = "IF(calls >= 10, 100 * FILL(failures, 0) / calls, 0): SampleCount Sum";
const failedPercent = "IF(requests >= 20, 100 * FILL(failures, 0) / requests, 0): Sum Sum";
const failedInHour = "IF(4 * FILL(failures, 0) >= requests, FILL(failures, 0), 0): Sum Sum";
const ending = { comparison: "LessThanOrEqualToThreshold", periods: [86_400], missing: "ignore" };
const slow = "IF(samples >= 20, value, 0): SampleCount p95";
/** The metrics of each kind of alarm, as the runbook and the descriptions say. */
const rules: Readonly<Record<string, readonly [rings: string, of: string, other?: object]>> = {
  ServerErrors: ["2/3 at 5", failedPercent],
  ServerErrorsInHour: ["1/1 at 3", failedInHour, { periods: [3_600] }],
  Latency: ["3/3 at 3000", "IF(samples >= 100, value, 0): SampleCount p99"],
  ChatUrlErrors: ["2/3 at 5", failedPercent],
  ChatUrlErrorsInHour: ["1/1 at 3", failedInHour, { periods: [3_600] }],
  CanaryStopped: ["3/3 at 1", "Invocations: Sum", { comparison: "LessThanThreshold", missing: "breaching" }],
  UnauthorizedWave: ["2/3 at 50", "IF(requests >= 50, 100 * FILL(unauthorized, 0) / requests, 0): Sum Sum"],
  ChatUrlRefusals: ["2/3 at 50", "IF(requests >= 500, 100 * FILL(refused, 0) / requests, 0): Sum Sum"],
  MailFeedbackDropped: ["1/3 at 1", "AsyncEventsDropped: Sum"],
  MailFeedbackUndelivered: ["1/3 at 1", "FailedInvocations: Sum"],
  ApiCertificateEnds: ["1/1 at 21", "DaysToExpiry: Minimum", ending],
  StreamCertificateEnds: ["1/1 at 21", "DaysToExpiry: Minimum", ending],
  Concurrency: ["1/3 at 80", "100 * used / SERVICE_QUOTA(used): Maximum"],
  TableReadsThrottled: ["2/3 at 10", "ReadThrottleEvents: Sum"],
  TableWritesThrottled: ["2/3 at 10", "WriteThrottleEvents: Sum"],
  ChatSlow: ["3/3 at 30000", slow],
  TranslationSlow: ["3/3 at 30000", slow],
  SpeechSlow: ["3/3 at 60000", slow],
  TranscriptionSlow: ["3/3 at 200000", slow],
  MailDeadLetters: ["1/3 at 1", "ApproximateNumberOfMessagesVisible: Maximum"],
  CallbackDeadLetters: ["1/3 at 1", "ApproximateNumberOfMessagesVisible: Maximum"],
  ExportDeadLetters: ["1/3 at 1", "ApproximateNumberOfMessagesVisible: Maximum"],
  JobDeadLetters: ["1/3 at 1", "ApproximateNumberOfMessagesVisible: Maximum"],
  JobDelay: ["1/3 at 3600", "ApproximateAgeOfOldestMessage: Maximum"],
  MailDelay: ["1/3 at 900", "ApproximateAgeOfOldestMessage: Maximum"],
  MessageDeadLetters: ["1/3 at 900", "ApproximateAgeOfOldestMessage: Maximum"],
  MessageDelay: ["1/3 at 900", "ApproximateAgeOfOldestMessage: Maximum"],
  UncountedRequests: ["1/3 at 20", ": Sum"],
  UncheckedTokens: ["1/3 at 3", ": Sum"],
  BrokenStreams: ["1/3 at 5", ": Sum"],
  ModelKeyRefused: ["1/3 at 1", ": Sum"],
  UnqueueableMessages: ["1/3 at 1", ": Sum"],
  MailsComeBack: ["1/3 at 10", ": Sum"],
  CanaryFails: ["2/3 at 1", ": Sum"],
  PlatformFails: ["2/3 at 20", failedCalls],
  Down: ["2/3 at 1", ": Sum"],
  Fails: ["2/3 at 20", failedCalls],
  Throttles: ["2/3 at 1", "Throttles: Sum"],
  Failures: ["1/3 at 3", "Errors: Sum"],
};

const functionVariables = z.object({
  Environment: z.object({ Variables: z.object({ METRICS_NAMESPACE: z.string() }) }),
});

/** Under which name the functions file their metrics. */
const functionNamespace = (template: Template): string => {
  const [first] = resourcesOfType(template, "AWS::Lambda::Function").values();
  return functionVariables.parse(first?.Properties).Environment.Variables.METRICS_NAMESPACE;
};

const metricLine = z.object({
  _aws: z.object({
    CloudWatchMetrics: z.array(
      z.object({
        Namespace: z.string(),
        Dimensions: z.array(z.array(z.string())),
        Metrics: z.array(z.object({ Name: z.string() })),
      }),
    ),
  }),
});

/** The metrics without a dimension in the line of a request for which a backend failed and its circuit opened. */
const metricsOfLine = (backend: BackendName, namespace: string): string[] => {
  const scope = openRequestScope(1_000, { metricsNamespace: namespace });
  scope.backends.noteCall(backend, 5, true);
  scope.backends.noteCircuitOpened(backend);
  const line = inRequestScope(scope, () =>
    measured({ operation: "example", milliseconds: 6, client_error: 0, server_error: 1 }),
  );
  return metricLine
    .parse(line)
    ._aws.CloudWatchMetrics.filter(({ Dimensions }) => Dimensions.flat().length === 0)
    .flatMap(({ Namespace, Metrics }) => Metrics.map(({ Name }) => `${Namespace} ${Name}`));
};

let service: SynthesizedService;
let watched: Template;
const alarms = (template: Template) =>
  [...resourcesOfType(template, "AWS::CloudWatch::Alarm")].map(([id, { Properties }]) => ({
    id,
    ...alarm.parse(Properties),
  }));

/** The stacks as one: the topic of the alarms is in that of the data. Alarms that only releases read are left out. */
const withMonitoring = ({ data, withFunctions, monitoring }: SynthesizedService): Template => ({
  ...monitoring,
  Resources: {
    ...data.Resources,
    ...monitoring.Resources,
    ...Object.fromEntries(resourcesOfType(withFunctions, "AWS::Lambda::Function")),
  },
});

const readRunbook = async (): Promise<string> => {
  return await readFile("infra/handbook/runbook.md", "utf8");
};

beforeAll(async () => {
  service = await synthesizeService(exampleStage("prod", { ...everyOption, CANARY: "on" }));
  watched = withMonitoring(service);
});

describe("The alarms", () => {
  it("watch the API's errors and latency, what is behind it, the queues and each function", () => {
    const ids = alarms(watched).map(({ id }) => id);
    const names = functionDefinitions.map(({ name }) => pascalCase(name));
    const expected = [
      ...["CanaryStopped", "UnauthorizedWave", "MailFeedbackDropped", "MailFeedbackUndelivered"],
      ...["ApiCertificateEnds", "StreamCertificateEnds", "ServerErrorsInHour", "ChatUrlErrorsInHour"],
      ...["ServerErrors", "Latency", "MailDeadLetters", "MailDelay", "MessageDeadLetters", "MessageDelay"],
      ...["CallbackDeadLetters", "ExportDeadLetters", "JobDeadLetters", "JobDelay"],
      ...["ChatUrlErrors", "Concurrency", "TableReadsThrottled", "TableWritesThrottled"],
      ...["UncountedRequests", "UncheckedTokens", "BrokenStreams", "UnqueueableMessages", "PlatformFails"],
      ...["ModelKeyRefused", "ChatUrlRefusals"],
      "MailsComeBack",
      "CanaryFails",
      ...["Chat", "Translation", "Transcription", "Speech"].flatMap((task) => [
        `${task}Down`,
        `${task}Fails`,
        `${task}Slow`,
      ]),
      ...names.map((name) => `${name}Throttles`),
      // The authorizer refuses tokens by throwing, so that its errors say nothing.
      ...names.filter((name) => name !== "Authorizer").map((name) => `${name}Failures`),
    ];
    expect(ids.map((id) => id.replace(/^Alarms|[0-9A-F]{8}$/g, "")).sort()).toEqual(expected.sort());
  });

  it("ring at the values that the runbook names, and stay silent while nothing is measured, but for the canary's", () => {
    const all = [...resourcesOfType(watched, "AWS::CloudWatch::Alarm")];
    expect(all.length).toBeGreaterThan(Object.keys(rules).length);
    for (const [id, { Properties }] of all) {
      const name = id.replace(/^Alarms|[0-9A-F]{8}$/g, "");
      const kind = name in rules ? name : name.replace(/^.+(?=(?:Down|Fails|Throttles|Failures)$)/, "");
      const [rings, of, other] = rules[kind] ?? [];
      expect(ruleOf(Properties), name).toEqual({
        rings,
        of,
        comparison: "GreaterThanOrEqualToThreshold",
        periods: [300],
        missing: "notBreaching",
        ...other,
      });
    }
  });

  it("look for tokens that could not be checked in the authorizer's log, for messages in the webhook's, for the others in every log", () => {
    const filters = [...resourcesOfType(watched, "AWS::Logs::MetricFilter")].map(([id, { Properties }]) => ({
      id,
      ...z
        .object({
          LogGroupName: z.object({ "Fn::GetStackOutput": z.object({ OutputName: z.string() }) }),
          MetricTransformations: z.tuple([z.object({ MetricName: z.string(), MetricValue: z.string() })]),
        })
        .parse(Properties),
    }));
    const logsOf = (event: string) =>
      filters
        .filter(({ MetricTransformations: [{ MetricName }] }) => MetricName === event)
        .map(
          ({ LogGroupName }) =>
            /RefFunctions(\w+)Logs[0-9A-F]{8}/.exec(LogGroupName["Fn::GetStackOutput"].OutputName)?.[1],
        )
        .sort();
    const functions = functionDefinitions.map(({ name }) => pascalCase(name)).sort();
    expect(logsOf("authorizer.failed")).toEqual(["Authorizer"]);
    expect(logsOf("message.not_queueable")).toEqual(["Webhook"]);
    expect(logsOf("mail.feedback")).toEqual(["MailFeedback"]);
    expect(logsOf("limits.not_counted")).toEqual(functions);
    expect(logsOf("chat.broken_off")).toEqual(functions);
    // Each line counts once.
    for (const { MetricTransformations } of filters) expect(MetricTransformations[0].MetricValue).toBe("1");
  });

  it("say in whole sentences what has happened and what to do", () => {
    for (const { AlarmDescription } of alarms(watched)) {
      expect(AlarmDescription.split(". ").length).toBeGreaterThan(1);
      expect(AlarmDescription).toMatch(/\.$/);
      // CloudWatch cuts nothing off: it refuses longer ones.
      expect(AlarmDescription.length).toBeLessThanOrEqual(1_024);
    }
  });

  it("point to the entry of the runbook that says more, and each entry has its alarm", async () => {
    const runbook = await readRunbook();
    const entries = [...runbook.matchAll(/^### (.+)$/gm)].map(([, heading]) => heading);
    const named = [...alarms(watched), ...alarms(service.withFunctions)].map(
      ({ AlarmDescription }) =>
        /Runbook: "(.+)" in infra\/handbook\/runbook\.md\.$/.exec(AlarmDescription)?.[1],
    );
    expect([...new Set(named)].sort()).toEqual(entries.sort());
  });

  it("and the runbook name lines of the log that are written", async () => {
    const texts = [await readRunbook(), ...alarms(watched).map(({ AlarmDescription }) => AlarmDescription)];
    const named = texts.flatMap((text) => [...text.matchAll(/`([a-z]+\.[a-z_]+)`/g)].map(([, name]) => name));
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((name = "") => !(name in logEvents))).toEqual([]);
  });

  it("count events under the names that the functions log", () => {
    const patterns = [...resourcesOfType(watched, "AWS::Logs::MetricFilter").values()].map(
      ({ Properties }) => z.object({ FilterPattern: z.string() }).parse(Properties).FilterPattern,
    );
    const events = patterns.map((pattern) => /^\{ \$\.message = "(.+)" \}$/.exec(pattern)?.[1]);
    expect(events.filter((event) => event !== undefined && !(event in logEvents))).toEqual([]);
    // The API's own log has no events.
    expect(patterns.filter((_, index) => events[index] === undefined)).toEqual(['{ $.status = "401" }']);
  });

  it("and the dashboard look at the service's own time under the name that functions write", () => {
    const namespace = functionNamespace(watched);
    const scope = openRequestScope(1_000, { metricsNamespace: namespace });
    const line = inRequestScope(scope, () =>
      measured({
        operation: "example",
        milliseconds: 6,
        own_milliseconds: 5,
        client_error: 0,
        server_error: 0,
      }),
    );
    expect(line).toMatchObject({ own_milliseconds: 5 });
    const own = { Namespace: namespace, Dimensions: [[]], Metrics: [{ Name: "own_milliseconds" }] };
    expect(metricLine.parse(line)._aws.CloudWatchMetrics).toContainEqual(own);
    const [latency] = [...resourcesOfType(watched, "AWS::CloudWatch::Alarm")].filter(([id]) =>
      id.startsWith("AlarmsLatency"),
    );
    expect(ownMetrics.parse(latency?.[1].Properties)).toEqual([
      { name: "own_milliseconds", namespace },
      { name: "own_milliseconds", namespace },
    ]);
    expect(JSON.stringify(latency?.[1].Properties["Metrics"])).not.toContain("Dimensions");
    const [dashboard] = resourcesOfType(watched, "AWS::CloudWatch::Dashboard").values();
    expect(JSON.stringify(dashboard)).toContain(`${namespace}\\",\\"own_milliseconds`);
  });

  it("check the function URL, the account's concurrency and the table as AWS measures them", () => {
    const metricsOf = (name: string) =>
      JSON.stringify(
        [...resourcesOfType(watched, "AWS::CloudWatch::Alarm")].find(([id]) => id.startsWith(name))?.[1],
      );
    for (const metric of ["UrlRequestCount", "Url5xxCount"]) {
      const address =
        /"Dimensions":\[\{"Name":"FunctionName","Value":\{"Fn::GetStackOutput":\{[^}]+RefFunctionsChat/;
      expect(metricsOf("AlarmsChatUrlErrors")).toContain(`"${metric}"`);
      expect(metricsOf("AlarmsChatUrlErrors")).toMatch(address);
    }
    for (const value of ["Lambda", "Resource", "ConcurrentExecutions", "None"]) {
      expect(metricsOf("AlarmsConcurrency")).toContain(`"Value":"${value}"`);
    }
    expect(metricsOf("AlarmsConcurrency")).toContain('"MetricName":"ResourceCount","Namespace":"AWS/Usage"');
    expect(metricsOf("AlarmsTableReads")).toMatch(
      /"Name":"TableName","Value":\{"Fn::GetStackOutput":\{[^}]+RefTable/,
    );
  });

  it("and the dashboard look at the metrics of backends that the functions write", () => {
    const written = backendNames.flatMap((backend) => metricsOfLine(backend, functionNamespace(watched)));
    const metrics = [...resourcesOfType(watched, "AWS::CloudWatch::Alarm").values()].flatMap(
      ({ Properties }) =>
        ownMetrics.parse(Properties).flatMap(({ name, namespace }) => [`${namespace} ${name}`]),
    );
    const ofBackends = metrics.filter((metric) =>
      /(?<! own)_(milliseconds|failures|circuit_opened)$/.test(metric),
    );
    // The platform has no circuit: the queue retries its replies.
    const unwatched = written.filter((metric) => !ofBackends.includes(metric));
    expect(unwatched).toEqual(["LanguageAi-prod platform_circuit_opened"]);
    expect(ofBackends.filter((metric) => !written.includes(metric))).toEqual([]);

    const [dashboard] = resourcesOfType(watched, "AWS::CloudWatch::Dashboard").values();
    for (const metric of ofBackends) {
      expect(JSON.stringify(dashboard)).toContain(metric.split(" ").join('\\",\\"'));
    }
  });

  it("have each queue of work on the dashboard, with what was dead-lettered", () => {
    const [dashboard] = resourcesOfType(watched, "AWS::CloudWatch::Dashboard").values();
    const titles = JSON.stringify(dashboard).match(/\w+(?=: waiting and dead-lettered)/g);
    expect(titles?.toSorted()).toEqual(["Callbacks", "Exports", "Jobs", "Mails", "Messages"]);
  });

  it("tell the operator by mail when they begin and when they end", () => {
    expect(resourcesOfType(watched, "AWS::SNS::Topic").size).toBe(1);
    for (const { AlarmActions, OKActions } of alarms(watched)) {
      // A weak reference: the topic may go when a stage does without the address.
      const OutputName = expect.stringContaining("RefAlarmMailTopic");
      const notified = [{ "Fn::GetStackOutput": expect.objectContaining({ OutputName }) }];
      expect(AlarmActions).toEqual(notified);
      expect(OKActions).toEqual(notified);
    }
    const [subscription] = resourcesOfType(watched, "AWS::SNS::Subscription").values();
    expect(subscription?.Properties).toMatchObject({ Protocol: "email", Endpoint: "operator@example.com" });
    const [policy] = resourcesOfType(watched, "AWS::SNS::TopicPolicy").values();
    expect(JSON.stringify(policy)).toContain('"Principal":{"Service":"cloudwatch.amazonaws.com"}');
  });

  it("warn with each command of the CDK when there is no one to notify, unless the stage is deleted with its data", () => {
    const warningsOf = (name: string, variables: Readonly<Record<string, string>> = {}) => {
      const stage = exampleStage(name, variables);
      const app = new App({ analyticsReporting: false });
      const stack = new Stack(app, `${stage.prefix}-Monitoring`);
      warnOfSilence(app, stage);
      return Annotations.fromStack(stack).findWarning("*", Match.stringLikeRegexp("ALARM_EMAIL"));
    };
    expect(warningsOf("prod")).toHaveLength(1);
    expect(warningsOf("prod", { ALARM_EMAIL: "operator@example.com" })).toEqual([]);
    expect(warningsOf("dev")).toEqual([]);
  });

  it("are shown only, when there is no one to notify", async () => {
    const silent = await synthesizeService(exampleStage("prod"));
    const all = withMonitoring(silent);
    expect(resourcesOfType(all, "AWS::SNS::Topic").size).toBe(0);
    expect(alarms(all).flatMap(({ AlarmActions }) => AlarmActions)).toEqual([]);
    expect(resourcesOfType(all, "AWS::CloudWatch::Dashboard").size).toBe(1);
    expect(silent.monitoring.Outputs["SilentAlarms"]?.Value).toContain('Add the line "ALARM_EMAIL"');
    expect(watched.Outputs).not.toHaveProperty("SilentAlarms");
  });
});
