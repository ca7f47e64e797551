import { ArnFormat } from "aws-cdk-lib";
import type { RestApi } from "aws-cdk-lib/aws-apigateway";
import { CfnWebACL, CfnWebACLAssociation } from "aws-cdk-lib/aws-wafv2";
import { Construct } from "constructs";
import { AppError } from "../../shared/platform/errors/app-error.ts";
import { errorBody } from "../../shared/platform/errors/error-body.ts";
import type { StageSettings } from "../stage-settings.ts";

/** How long an address that sends too much is looked at, and so about how long it is refused. */
const windowSeconds = 300;

const tooMany = new AppError("rate_limited", { retryAfterSeconds: windowSeconds });

export interface WebFirewallProps {
  /** `CLOUDFRONT` only in us-east-1. */
  readonly scope: "REGIONAL" | "CLOUDFRONT";
  readonly settings: Pick<StageSettings, "FIREWALL_REQUESTS_PER_5_MINUTES">;
}

/** Refuses floods from one address, and addresses that AWS knows for attacks; bodies are not looked into. */
export class WebFirewall extends Construct {
  readonly arn: string;

  constructor(parent: Construct, id: string, { scope, settings }: WebFirewallProps) {
    super(parent, id);
    const metricsOf = (metricName: string) => ({
      cloudWatchMetricsEnabled: true,
      // A sample holds headers, and with them tokens.
      sampledRequestsEnabled: false,
      metricName,
    });
    const acl = new CfnWebACL(this, "Rules", {
      scope,
      defaultAction: { allow: {} },
      visibilityConfig: metricsOf("requests"),
      customResponseBodies: {
        tooMany: {
          contentType: "APPLICATION_JSON",
          content: JSON.stringify(errorBody(tooMany, "")),
        },
      },
      rules: [
        {
          name: "floods",
          priority: 0,
          statement: {
            rateBasedStatement: {
              aggregateKeyType: "IP",
              limit: settings.FIREWALL_REQUESTS_PER_5_MINUTES,
              evaluationWindowSec: windowSeconds,
            },
          },
          action: {
            block: {
              customResponse: {
                responseCode: tooMany.status,
                customResponseBodyKey: "tooMany",
                responseHeaders: [{ name: "Retry-After", value: String(windowSeconds) }],
              },
            },
          },
          visibilityConfig: metricsOf("floods"),
        },
        {
          name: "known-attackers",
          priority: 1,
          statement: {
            managedRuleGroupStatement: { vendorName: "AWS", name: "AWSManagedRulesAmazonIpReputationList" },
          },
          overrideAction: { none: {} },
          visibilityConfig: metricsOf("known-attackers"),
        },
      ],
    });
    this.arn = acl.attrArn;
  }

  /** Puts the rules in front of an API. */
  protect({ restApiId, deploymentStage, stack }: RestApi): void {
    new CfnWebACLAssociation(this, "Api", {
      resourceArn: stack.formatArn({
        service: "apigateway",
        account: "",
        resource: `/restapis/${restApiId}/stages/${deploymentStage.stageName}`,
        arnFormat: ArnFormat.NO_RESOURCE_NAME,
      }),
      webAclArn: this.arn,
    });
  }
}
