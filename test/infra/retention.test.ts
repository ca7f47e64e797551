import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { deployedStage } from "../../infra/stages.ts";
import { daySeconds } from "../../shared/platform/durations.ts";
import type { Lifetime } from "../../shared/platform/storage/stored-kinds.ts";
import { lifetimeText, retentionTable, tableMarkdown } from "../../shared/wiring/retention.ts";
import { storedKinds } from "../../shared/wiring/stored-kinds.ts";
import {
  exampleStage,
  resourcesOfType,
  type SynthesizedService,
  synthesizeService,
  type Template,
} from "./synthesized-service.ts";

const days = { SPEECH_LIFETIME_DAYS: 30, LOG_RETENTION_DAYS: 90 };
const stage = exampleStage("prod", { SPEECH_LIFETIME_DAYS: "30" });

let service: SynthesizedService;
beforeAll(async () => {
  service = await synthesizeService(stage);
});

const all = (template: Template, type: string) => [...resourcesOfType(template, type).values()];

/** How many days the list says. */
const daysOf = (lasts: Lifetime): number | undefined => {
  if ("seconds" in lasts) return Math.ceil(lasts.seconds / daySeconds);
  return "setting" in lasts ? days[lasts.setting] : undefined;
};
const listed = (id: string): number | undefined => {
  const kind = [...storedKinds.objects, ...storedKinds.others].find((each) => each.id === id);
  if (!kind) throw new Error(`The list has no ${id}.`);
  return daysOf(kind.lasts);
};

const bucket = z.object({
  LoggingConfiguration: z.unknown().optional(),
  LifecycleConfiguration: z.object({
    Rules: z.array(z.object({ ExpirationInDays: z.int().optional(), Prefix: z.string().optional() })),
  }),
});

describe("What the list of everything that is stored says about time", () => {
  it("is what the life cycle rules of the bucket do, no folder more or less", () => {
    const buckets = all(service.data, "AWS::S3::Bucket").map(({ Properties }) => bucket.parse(Properties));
    const rulesOf = (hasLogs: boolean) =>
      buckets
        .filter(({ LoggingConfiguration }) => (LoggingConfiguration !== undefined) === hasLogs)
        .flatMap(({ LifecycleConfiguration: { Rules } }) => Rules)
        .filter(({ ExpirationInDays }) => ExpirationInDays !== undefined);
    expect(Object.fromEntries(rulesOf(true).map((rule) => [rule.Prefix, rule.ExpirationInDays]))).toEqual(
      Object.fromEntries(storedKinds.objects.map(({ folder, lasts }) => [folder, daysOf(lasts)])),
    );
    expect(rulesOf(false).map(({ ExpirationInDays }) => ExpirationInDays)).toEqual([
      listed("storage access logs"),
    ]);
  });

  it("is what the queues do with messages that fail", () => {
    const queues = all(service.data, "AWS::SQS::Queue").map(
      ({ Properties }) => Properties["MessageRetentionPeriod"],
    );
    const ids = storedKinds.others.filter(({ elsewhere }) => elsewhere === "queue").map(({ id }) => id);
    // Each queue has one for what fails, which stores messages for longer.
    expect(queues.filter((seconds) => seconds === (listed(ids[0] ?? "") ?? 0) * daySeconds)).toHaveLength(
      ids.length,
    );
    expect(queues).toHaveLength(2 * ids.length);
    expect(new Set(ids.map(listed)).size).toBe(1);
  });

  it("is what the groups of logs do", () => {
    const groups = [service.api, service.workers].flatMap((template) =>
      all(template, "AWS::Logs::LogGroup").map(({ Properties }) => Properties["RetentionInDays"]),
    );
    expect(groups.length).toBeGreaterThan(15);
    expect(new Set(groups)).toEqual(new Set([listed("logs")]));
  });

  it("is what the table does: it deletes what has expired, and has backups", () => {
    expect(all(service.data, "AWS::DynamoDB::GlobalTable").map(({ Properties }) => Properties)).toMatchObject(
      [
        {
          TimeToLiveSpecification: { AttributeName: "expires_at", Enabled: true },
          Replicas: [{ PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } }],
        },
      ],
    );
    // AWS stores changes for 35 days unless a table says otherwise.
    expect(listed("backups")).toBe(35);
  });

  it.each(["dev", "prod"])("ends stored speech after 30 days in the stage %s", (name) => {
    const needed = { CHAT_BASE_URL: "https://models.example.org/v1", MAIL_FROM: "sender@example.org" };
    expect(deployedStage(name, needed).settings.SPEECH_LIFETIME_DAYS).toBe(30);
  });
});

describe("The table of retention", () => {
  const table = retentionTable(storedKinds, days);

  it("has a row for everything that is about people", () => {
    const kinds = [...storedKinds.items, ...storedKinds.objects, ...storedKinds.others];
    expect(table.rows.map(([what]) => what)).toEqual(
      kinds.filter(({ about }) => about !== "service").map(({ what }) => what),
    );
    expect(new Set(kinds.map(({ id }) => id)).size).toBe(kinds.length);
    expect(new Set(kinds.map(({ what }) => what)).size).toBe(kinds.length);
  });

  it("is in the handbook and in the document of the API", () => {
    const markdown = tableMarkdown(retentionTable(storedKinds));
    const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
    expect(read("infra/handbook/retention.md")).toContain(markdown);
    expect(read("shared/http/openapi/openapi.json")).toContain(JSON.stringify(markdown).slice(1, -1));
  });

  it.each([
    [{ seconds: 1_800 }, "30 minutes"],
    [{ seconds: 3_600 }, "1 hour"],
    [{ seconds: daySeconds }, "24 hours"],
    [{ seconds: 30 * daySeconds }, "30 days"],
    [{ setting: "SPEECH_LIFETIME_DAYS" }, "30 days"],
    [{ until: "an operator lifts it" }, "until an operator lifts it"],
  ] as const)("says how long %j is", (lasts, text) => {
    expect(lifetimeText(lasts, days)).toBe(text);
  });

  it("says that speech lasts as long as its account in a stage that never deletes it", () => {
    const lasts = { setting: "SPEECH_LIFETIME_DAYS" } as const;
    expect(lifetimeText(lasts, { ...days, SPEECH_LIFETIME_DAYS: 0 })).toBe("until the account is deleted");
    expect(lifetimeText(lasts, undefined)).toBe("the days of the setting `SPEECH_LIFETIME_DAYS`");
  });
});
