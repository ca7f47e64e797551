import { beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { functionDefinitions } from "../../functions/manifest.ts";
import { everyOption, exampleStage, resourcesOfType, synthesizeService } from "./synthesized-service.ts";

let service: Awaited<ReturnType<typeof synthesizeService>>;
beforeAll(async () => {
  service = await synthesizeService(exampleStage("prod", everyOption));
});

const subscription = z.object({
  FilterPattern: z.string(),
  LogGroupName: z.unknown(),
  DestinationArn: z.unknown(),
});

describe("The feed of the request log", () => {
  it("is subscribed to the logs of the functions that accounts call, and to no others", () => {
    const logs = [...resourcesOfType(service.monitoring, "AWS::Logs::SubscriptionFilter").values()].map(
      ({ Properties }) => JSON.stringify(subscription.parse(Properties).LogGroupName).toLowerCase(),
    );
    const expected = functionDefinitions.filter(
      ({ name, operations }) =>
        name === "mcp" || operations.some(({ auth }: { auth: string }) => auth === "user"),
    );
    expect(logs).toHaveLength(expected.length);
    for (const { name } of expected)
      expect(logs.filter((log) => log.includes(`functions${name}logs`))).toHaveLength(1);
    for (const name of ["requestlog", "console", "authorizer"])
      expect(logs.filter((log) => log.includes(`functions${name}logs`))).toEqual([]);
  });

  it("sends only last lines with an account, to the version that is live", () => {
    for (const { Properties, DependsOn } of resourcesOfType(
      service.monitoring,
      "AWS::Logs::SubscriptionFilter",
    ).values()) {
      const { FilterPattern, DestinationArn } = subscription.parse(Properties);
      expect(FilterPattern).toBe('{ ($.message = "request.answered") && ($.account_id > 0) }');
      expect(JSON.stringify(DestinationArn)).toMatch(/RequestLogFunctionAliaslive/);
      expect(DependsOn).toEqual([expect.stringMatching(/^RequestLogPermission/)]);
    }
  });

  it("may be invoked by this stage's logs of this account only", () => {
    const [permission, ...others] = [
      ...resourcesOfType(service.monitoring, "AWS::Lambda::Permission").values(),
    ];
    expect(others).toEqual([]);
    expect(permission?.Properties).toMatchObject({
      Action: "lambda:InvokeFunction",
      Principal: "logs.amazonaws.com",
      SourceAccount: "000000000000",
    });
    expect(JSON.stringify(permission?.Properties["SourceArn"])).toContain(":log-group:LanguageAi-prod-*:*");
  });

  it("adds nothing to the stack of the API", () => {
    expect(resourcesOfType(service.api, "AWS::Logs::SubscriptionFilter").size).toBe(0);
  });
});
