import { CfnOutput, Stack, type StackProps } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { WebFirewall } from "../constructs/web-firewall.ts";
import type { StageSettings } from "../stage-settings.ts";

export interface EdgeStackProps extends StackProps {
  readonly settings: StageSettings;
}

/**
 * The firewall's rules for the stream's domain. CloudFront requires them in us-east-1, even when the service is in another
 * region; the stage names them by their ARN.
 */
export class EdgeStack extends Stack {
  constructor(scope: Construct, id: string, { settings, ...props }: EdgeStackProps) {
    super(scope, id, props);
    const { arn } = new WebFirewall(this, "Firewall", { scope: "CLOUDFRONT", settings });
    new CfnOutput(this, "StreamFirewallArn", {
      value: arn,
      description: "The value of STREAM_FIREWALL_ARN in the stage's file.",
    });
  }
}
