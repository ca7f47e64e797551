import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { functionDefinitions } from "../../functions/manifest.ts";
import { deployedStage } from "../../infra/stages.ts";
import { logEvents } from "../../shared/telemetry/log-events.ts";
import { resourcesOfType, synthesizeService, type Template } from "./synthesized-service.ts";

const alarm = z.object({
  AlarmDescription: z.string(),
  AlarmActions: z.array(z.unknown()).default([]),
  OKActions: z.array(z.unknown()).default([]),
  TreatMissingData: z.string(),
});

let watched: Template;
const alarms = (template: Template) =>
  [...resourcesOfType(template, "AWS::CloudWatch::Alarm")].map(([id, { Properties }]) => ({
    id,
    ...alarm.parse(Properties),
  }));

beforeAll(async () => {
  watched = (await synthesizeService(deployedStage("prod", { ALARM_EMAIL: "operator@example.com" }))).api;
}, 30_000);

describe("The alarms", { timeout: 30_000 }, () => {
  it("watch the API's errors and latency, the queues and each function", () => {
    const ids = alarms(watched).map(({ id }) => id);
    const names = functionDefinitions.map(({ name }) => name[0]?.toUpperCase() + name.slice(1));
    const expected = [
      ...["ServerErrors", "Latency", "MailDeadLetters", "MailDelay", "MessageDeadLetters", "MessageDelay"],
      ...["UncountedRequests", "UncheckedTokens", "BrokenStreams", "BackendDown"],
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
    const document = await readFile("infra/README.md", "utf8");
    const runbook =
      document.split(/^## /m).find((section) => section.startsWith("When an alarm rings")) ?? "";
    const entries = [...runbook.matchAll(/^### (.+)$/gm)].map(([, heading]) => heading);
    const named = alarms(watched).map(
      ({ AlarmDescription }) => /Runbook: "(.+)" in infra\/README\.md\.$/.exec(AlarmDescription)?.[1],
    );
    expect([...new Set(named)].sort()).toEqual(entries.sort());
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
