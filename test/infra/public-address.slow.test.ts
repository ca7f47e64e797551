import { App } from "aws-cdk-lib";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { addServiceStacks } from "../../infra/service.ts";
import { readCdkContext } from "../../infra/synthesize.ts";
import { definitionOf } from "./synthesized-routes.ts";
import {
  exampleStage,
  lambdasByName,
  type Resource,
  resourcesOfType,
  synthesizeService,
  withTemporaryDirectory,
  writeStandInBundles,
} from "./synthesized-service.ts";

const ownDomains = {
  API_DOMAIN_NAME: "api.example.org",
  API_CERTIFICATE_ARN: "arn:aws:acm:eu-west-1:111122223333:certificate/api",
  API_BASE_PATH: "/languages",
  STREAM_DOMAIN_NAME: "stream.example.org",
  STREAM_CERTIFICATE_ARN: "arn:aws:acm:us-east-1:111122223333:certificate/stream",
  STREAM_FIREWALL_ARN: "arn:aws:wafv2:us-east-1:111122223333:global/webacl/rules/1",
};
const own = await synthesizeService(exampleStage("prod", ownDomains));
const plain = await synthesizeService(exampleStage("prod"));

const only = (type: string, service = own): Resource["Properties"] => {
  const [first, ...others] = [...resourcesOfType(service.api, type).values()];
  expect(others).toEqual([]);
  return first?.Properties ?? {};
};

const publicBaseUrlOf = (service: typeof own) =>
  JSON.stringify(lambdasByName(service).get("mail")?.resource.Properties["Environment"]);

describe("An API with a name of its own", () => {
  it("responds there with its certificate, below its base path", () => {
    expect(only("AWS::ApiGateway::DomainName")).toMatchObject({
      DomainName: "api.example.org",
      RegionalCertificateArn: ownDomains.API_CERTIFICATE_ARN,
      SecurityPolicy: "TLS_1_2",
      EndpointConfiguration: { Types: ["REGIONAL"] },
    });
    expect(only("AWS::ApiGateway::BasePathMapping")).toMatchObject({ BasePath: "languages" });
  });

  it("also responds at its default address until the stage switches that off, so that no caller is cut off", async () => {
    const off = await synthesizeService(exampleStage("prod", { ...ownDomains, API_DEFAULT_ADDRESS: "off" }));
    for (const [service, isDisabled] of [
      [own, false],
      [plain, false],
      [off, true],
    ] as const) {
      expect(only("AWS::ApiGateway::RestApi", service)).toMatchObject({
        DisableExecuteApiEndpoint: isDisabled,
      });
      expect(definitionOf(service).servers).toEqual([
        {
          url: "/",
          "x-amazon-apigateway-endpoint-configuration": { disableExecuteApiEndpoint: isDisabled },
        },
      ]);
    }
  });

  it("is what mails and the documentation name, unless the stage says otherwise", async () => {
    expect(publicBaseUrlOf(own)).toContain('"PUBLIC_BASE_URL":"https://api.example.org/languages"');
    expect(publicBaseUrlOf(plain)).toContain('"/prod"');
    const variables = { ...ownDomains, PUBLIC_BASE_URL: "https://example.org/api" };
    expect(publicBaseUrlOf(await synthesizeService(exampleStage("prod", variables)))).toContain(
      '"PUBLIC_BASE_URL":"https://example.org/api"',
    );
  });

  it("has no such name unless a stage says so", () => {
    expect(resourcesOfType(plain.api, "AWS::ApiGateway::DomainName").size).toBe(0);
    expect(resourcesOfType(plain.api, "AWS::CloudFront::Distribution").size).toBe(0);
  });
});

describe("Streams with a name of their own", () => {
  const { DistributionConfig: config } = only("AWS::CloudFront::Distribution");

  it("pass through CloudFront unchanged: nothing is cached, compressed or delayed", () => {
    expect(config).toMatchObject({
      Aliases: ["stream.example.org"],
      DefaultCacheBehavior: {
        // AWS's managed policies: nothing is cached; everything but the host's name is passed on.
        CachePolicyId: "4135ea2d-6df8-44a3-9df3-4b5a84be39ad",
        OriginRequestPolicyId: "b689b0a8-53d0-40ab-baf2-68738e2966ac",
        Compress: false,
        ViewerProtocolPolicy: "https-only",
      },
      Origins: [{ CustomOriginConfig: { OriginReadTimeout: 120, OriginProtocolPolicy: "https-only" } }],
      WebACLId: ownDomains.STREAM_FIREWALL_ARN,
    });
  });

  it("keep the callers' tokens: CloudFront signs nothing", () => {
    expect(resourcesOfType(own.api, "AWS::CloudFront::OriginAccessControl").size).toBe(0);
    expect(only("AWS::Lambda::Url")).toMatchObject({ AuthType: "NONE" });
  });
});

describe("The chat function's own URL", () => {
  const chatVariables = (service: typeof own): unknown =>
    lambdasByName(service).get("chat")?.resource.Properties["Environment"];

  it("is for CloudFront only in a stage with a domain for streams, which sends a secret and adds the caller's address", () => {
    const { DistributionConfig } = only("AWS::CloudFront::Distribution");
    const config = z
      .object({
        Origins: z.tuple([
          z.object({
            OriginCustomHeaders: z.tuple([z.object({ HeaderName: z.string(), HeaderValue: z.unknown() })]),
          }),
        ]),
        DefaultCacheBehavior: z.object({
          FunctionAssociations: z.tuple([z.object({ EventType: z.literal("viewer-request") })]),
        }),
      })
      .parse(DistributionConfig);
    const [{ HeaderName, HeaderValue }] = config.Origins[0].OriginCustomHeaders;
    expect(HeaderName).toBe("x-language-ai-origin");
    expect(JSON.stringify(HeaderValue)).toContain("{{resolve:secretsmanager:");
    expect(chatVariables(own)).toMatchObject({ Variables: { ORIGIN_SECRET: HeaderValue } });
    const { FunctionCode } = z.object({ FunctionCode: z.string() }).parse(only("AWS::CloudFront::Function"));
    const request = { headers: { "x-language-ai-viewer": { value: "203.0.113.9" } } };
    const run: unknown = new Function("event", `${FunctionCode}; return handler(event);`)({
      request,
      viewer: { ip: "198.51.100.7" },
    });
    expect(run).toEqual({ headers: { "x-language-ai-viewer": { value: "198.51.100.7" } } });
    // The tests of a release use CloudFront's address, which works before the DNS record exists.
    expect(JSON.stringify(own.api.Outputs["ChatStreamUrl"]?.Value)).toContain("DomainName");
  });

  it("is for callers in other stages", () => {
    expect(chatVariables(plain)).toMatchObject({ Variables: { ORIGIN_SECRET: "" } });
    expect(JSON.stringify(plain.api.Outputs["ChatStreamUrl"]?.Value)).toContain("FunctionUrl");
  });

  it("does not exist in a stage that turns it off, whose pages and tests use the API", async () => {
    const off = await synthesizeService(exampleStage("prod", { CHAT_URL: "off", RELEASE_SHIFT: "gradual" }));
    expect(resourcesOfType(off.api, "AWS::Lambda::Url").size).toBe(0);
    expect(Object.keys(off.api.Outputs)).not.toContain("ChatStreamUrl");
    const variables = JSON.stringify(lambdasByName(off).get("console")?.resource.Properties["Environment"]);
    expect(variables).toMatch(/"CHAT_STREAM_URL":\{"Fn::Join":.*execute-api/);
    const alarms = [...resourcesOfType(off.monitoring, "AWS::CloudWatch::Alarm").keys()];
    expect(alarms.filter((id) => id.includes("Url"))).toEqual([]);
  });
});

describe("The firewall", () => {
  it("refuses floods and known attackers in front of the API, with the service's own error", async () => {
    const service = await synthesizeService(
      exampleStage("prod", { FIREWALL: "on", FIREWALL_REQUESTS_PER_5_MINUTES: "1234" }),
    );
    const acl = only("AWS::WAFv2::WebACL", service);
    expect(acl).toMatchObject({
      Scope: "REGIONAL",
      DefaultAction: { Allow: {} },
      Rules: [
        {
          Statement: { RateBasedStatement: { AggregateKeyType: "IP", Limit: 1234 } },
          Action: { Block: { CustomResponse: { ResponseCode: 429 } } },
        },
        { Statement: { ManagedRuleGroupStatement: { Name: "AWSManagedRulesAmazonIpReputationList" } } },
      ],
    });
    expect(JSON.stringify(acl["CustomResponseBodies"])).toContain("rate_limited");
    const { ResourceArn } = only("AWS::WAFv2::WebACLAssociation", service);
    expect(JSON.stringify(ResourceArn)).toMatch(/::\/restapis\/.*\/stages\//);
  });

  it("is off unless a stage says so", () => {
    expect(resourcesOfType(plain.api, "AWS::WAFv2::WebACL").size).toBe(0);
  });

  it("of the streams is a stack in us-east-1, wherever the service is", () =>
    withTemporaryDirectory(async (directory) => {
      const app = new App({ analyticsReporting: false, context: await readCdkContext() });
      addServiceStacks(app, {
        stage: exampleStage("prod", { ...ownDomains, FIREWALL: "on" }),
        bundles: await writeStandInBundles(directory),
        env: { account: "111122223333", region: "af-south-1" },
      });
      const { stacks } = app.synth();
      const regions = stacks.map(({ stackName, environment }) => `${stackName} ${environment.region}`);
      expect(regions.toSorted()).toEqual([
        "LanguageAi-prod-Api af-south-1",
        "LanguageAi-prod-Data af-south-1",
        "LanguageAi-prod-Edge us-east-1",
        "LanguageAi-prod-Monitoring af-south-1",
        "LanguageAi-prod-Workers af-south-1",
      ]);
    }));
});

describe("The settings of domains", () => {
  it.each([
    [{ API_DOMAIN_NAME: "api.example.org" }, "API_DOMAIN_NAME: goes together with API_CERTIFICATE_ARN"],
    [
      { STREAM_DOMAIN_NAME: "stream.example.org", STREAM_CERTIFICATE_ARN: ownDomains.API_CERTIFICATE_ARN },
      "STREAM_CERTIFICATE_ARN: must be the ARN of a certificate in us-east-1",
    ],
    [{ ...ownDomains, API_DOMAIN_NAME: "https://api.example.org" }, "API_DOMAIN_NAME: must be a name"],
    [{ API_DEFAULT_ADDRESS: "off" }, "API_DEFAULT_ADDRESS: can only be off with API_DOMAIN_NAME"],
    [
      { ...ownDomains, CHAT_TIMEOUT_MS: "115001" },
      "CHAT_TIMEOUT_MS: must be at most 115000 with STREAM_DOMAIN_NAME",
    ],
    [{ ...ownDomains, CHAT_URL: "off" }, "CHAT_URL: must be on with STREAM_DOMAIN_NAME"],
    [{ API_BASE_PATH: "languages" }, "API_BASE_PATH: must be one segment"],
  ])("are refused when they make no sense: %j", (variables, sentence) => {
    expect(() => exampleStage("prod", variables)).toThrow(sentence);
  });
});
