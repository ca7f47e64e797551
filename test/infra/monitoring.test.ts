import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { functionDefinitions } from "../../functions/manifest.ts";
import { deployedStage } from "../../infra/stages.ts";
import { type BackendName, backendNames } from "../../shared/telemetry/backend-uses.ts";
import { logEvents } from "../../shared/telemetry/log-events.ts";
import { measured } from "../../shared/telemetry/request-metrics.ts";
import { inRequestScope, openRequestScope } from "../../shared/telemetry/request-scope.ts";
import { resourcesOfType, synthesizeService, type Template } from "./synthesized-service.ts";

const alarm = z.object({
  AlarmDescription: z.string(),
  AlarmActions: z.array(z.unknown()).default([]),
  OKActions: z.array(z.unknown()).default([]),
  TreatMissingData: z.string(),
});

/** The metrics of our own that an alarm looks at, alone or in an expression. */
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

let watched: Template;
const alarms = (template: Template) =>
  [...resourcesOfType(template, "AWS::CloudWatch::Alarm")].map(([id, { Properties }]) => ({
    id,
    ...alarm.parse(Properties),
  }));

const readRunbook = async (): Promise<string> => {
  const document = await readFile("infra/README.md", "utf8");
  return document.split(/^## /m).find((section) => section.startsWith("When an alarm rings")) ?? "";
};

beforeAll(async () => {
  watched = (await synthesizeService(deployedStage("prod", { ALARM_EMAIL: "operator@example.com" }))).api;
}, 30_000);

describe("The alarms", { timeout: 30_000 }, () => {
  it("watch the API's errors and latency, what is behind it, the queues and each function", () => {
    const ids = alarms(watched).map(({ id }) => id);
    const names = functionDefinitions.map(({ name }) => name[0]?.toUpperCase() + name.slice(1));
    const expected = [
      ...["ServerErrors", "Latency", "MailDeadLetters", "MailDelay", "MessageDeadLetters", "MessageDelay"],
      ...["UncountedRequests", "UncheckedTokens", "BrokenStreams", "PlatformFails"],
      ...["Chat", "Translation", "Transcription", "Speech"].flatMap((task) => [
        `${task}Down`,
        `${task}Fails`,
      ]),
      ...names.map((name) => `${name}Throttles`),
      // The authorizer refuses tokens by throwing, so that its errors say nothing.
      ...names.filter((name) => name !== "Authorizer").map((name) => `${name}Failures`),
    ];
    expect(ids.map((id) => id.replace(/^Alarms|[0-9A-F]{8}$/g, "")).sort()).toEqual(expected.sort());
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
    const named = alarms(watched).map(
      ({ AlarmDescription }) => /Runbook: "(.+)" in infra\/README\.md\.$/.exec(AlarmDescription)?.[1],
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
    const filters = [...resourcesOfType(watched, "AWS::Logs::MetricFilter").values()].map(({ Properties }) =>
      z.object({ FilterPattern: z.string() }).parse(Properties),
    );
    expect(filters.length).toBeGreaterThan(0);
    for (const { FilterPattern } of filters) {
      const event = /^\{ \$\.message = "(.+)" \}$/.exec(FilterPattern)?.[1];
      expect(Object.keys(logEvents)).toContain(event);
    }
  });

  it("and the dashboard look at the metrics of backends that the functions write", () => {
    const written = backendNames.flatMap((backend) => metricsOfLine(backend, functionNamespace(watched)));
    const metrics = [...resourcesOfType(watched, "AWS::CloudWatch::Alarm").values()].flatMap(
      ({ Properties }) =>
        ownMetrics.parse(Properties).flatMap(({ name, namespace }) => [`${namespace} ${name}`]),
    );
    const ofBackends = metrics.filter((metric) => /_(milliseconds|failures|circuit_opened)$/.test(metric));
    // The platform has no circuit: its answers are tried again by the queue.
    const unwatched = written.filter((metric) => !ofBackends.includes(metric));
    expect(unwatched).toEqual(["LanguageAi-prod-Api platform_circuit_opened"]);
    expect(ofBackends.filter((metric) => !written.includes(metric))).toEqual([]);

    const [dashboard] = resourcesOfType(watched, "AWS::CloudWatch::Dashboard").values();
    for (const metric of ofBackends) {
      expect(JSON.stringify(dashboard)).toContain(metric.split(" ").join('\\",\\"'));
    }
  });

  it("tell the operator by mail when they begin and when they end", () => {
    const [topic] = resourcesOfType(watched, "AWS::SNS::Topic").keys();
    for (const { AlarmActions, OKActions } of alarms(watched)) {
      expect(AlarmActions).toEqual([{ Ref: topic }]);
      expect(OKActions).toEqual([{ Ref: topic }]);
    }
    const [subscription] = resourcesOfType(watched, "AWS::SNS::Subscription").values();
    expect(subscription?.Properties).toMatchObject({ Protocol: "email", Endpoint: "operator@example.com" });
    const [policy] = resourcesOfType(watched, "AWS::SNS::TopicPolicy").values();
    expect(JSON.stringify(policy)).toContain('"Principal":{"Service":"cloudwatch.amazonaws.com"}');
  });

  it("are shown only, when nobody is to be told", async () => {
    const { api } = await synthesizeService(deployedStage("prod", {}));
    expect(resourcesOfType(api, "AWS::SNS::Topic").size).toBe(0);
    expect(alarms(api).flatMap(({ AlarmActions }) => AlarmActions)).toEqual([]);
    expect(resourcesOfType(api, "AWS::CloudWatch::Dashboard").size).toBe(1);
  });
});
