import { ArnFormat } from "aws-cdk-lib";
import type { SpecRestApi } from "aws-cdk-lib/aws-apigateway";
import { CfnWebACL, CfnWebACLAssociation } from "aws-cdk-lib/aws-wafv2";
import { Construct } from "constructs";
import { AppError } from "../../shared/platform/errors/app-error.ts";
import { errorBody } from "../../shared/platform/errors/error-body.ts";
import type { StageSettings } from "../stage-settings.ts";

/** The window in which requests are counted, and so roughly how long an address is refused. */
const windowSeconds = 300;

const tooMany = new AppError("rate_limited", { retryAfterSeconds: windowSeconds });

const metricsOf = (metricName: string): CfnWebACL.VisibilityConfigProperty => ({
  cloudWatchMetricsEnabled: true,
  // A sample holds headers, and with them tokens.
  sampledRequestsEnabled: false,
  metricName,
});

/**
 * Whole towns share an address of their mobile network, so the limit is far above what a person sends: it stops floods, and the
 * service's own limits do the rest.
 */
const floods = (limit: number): CfnWebACL.RuleProperty => ({
  name: "floods",
  priority: 0,
  statement: {
    rateBasedStatement: { aggregateKeyType: "IP", limit, evaluationWindowSec: windowSeconds },
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
});

const knownAttackers: CfnWebACL.RuleProperty = {
  name: "known-attackers",
  priority: 1,
  statement: {
    managedRuleGroupStatement: { vendorName: "AWS", name: "AWSManagedRulesAmazonIpReputationList" },
  },
  overrideAction: { none: {} },
  visibilityConfig: metricsOf("known-attackers"),
};

export interface WebFirewallProps {
  /** `CLOUDFRONT` only in us-east-1. */
  readonly scope: "REGIONAL" | "CLOUDFRONT";
  readonly settings: Pick<StageSettings, "FIREWALL_REQUESTS_PER_5_MINUTES">;
}

/** Refuses floods from one address, and addresses that AWS knows for attacks. It does not inspect bodies. */
export class WebFirewall extends Construct {
  readonly arn: string;

  constructor(parent: Construct, id: string, { scope, settings }: WebFirewallProps) {
    super(parent, id);
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
      rules: [floods(settings.FIREWALL_REQUESTS_PER_5_MINUTES), knownAttackers],
    });
    this.arn = acl.attrArn;
  }

  /** Puts the rules in front of an API. */
  protect({ restApiId, deploymentStage, stack }: SpecRestApi): void {
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
