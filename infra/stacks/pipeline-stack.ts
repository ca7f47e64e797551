import { CfnOutput, Duration, Stack, type StackProps } from "aws-cdk-lib";
import { OidcProviderNative, PolicyStatement, Role, WebIdentityPrincipal } from "aws-cdk-lib/aws-iam";
import type { Construct } from "constructs";
import { acknowledge } from "../constructs/acknowledge.ts";

const issuer = "token.actions.githubusercontent.com";

export interface PipelineStackProps extends StackProps {
  /** `owner/name` on GitHub. */
  readonly repository: string;
  /** Environments of that repository, one for each stage that it may deploy. */
  readonly environments: readonly string[];
}

/**
 * Lets the workflows of a repository deploy without a stored key: GitHub identifies a workflow run with a token (OpenID Connect),
 * which AWS exchanges for a role for some minutes. The role may only assume the roles of `cdk bootstrap`.
 */
export class PipelineStack extends Stack {
  constructor(scope: Construct, id: string, { repository, environments, ...props }: PipelineStackProps) {
    super(scope, id, props);
    const provider = new OidcProviderNative(this, "GitHub", {
      url: `https://${issuer}`,
      clientIds: ["sts.amazonaws.com"],
    });
    const role = new Role(this, "Deployer", {
      description: `Deploys for ${repository}`,
      maxSessionDuration: Duration.hours(1),
      assumedBy: new WebIdentityPrincipal(provider.oidcProviderArn, {
        StringEquals: {
          [`${issuer}:aud`]: "sts.amazonaws.com",
          [`${issuer}:sub`]: environments.map((name) => `repo:${repository}:environment:${name}`),
        },
      }),
    });
    role.addToPolicy(
      new PolicyStatement({
        actions: ["sts:AssumeRole"],
        resources: [this.formatArn({ service: "iam", region: "", resource: "role", resourceName: "cdk-*" })],
        conditions: {
          StringEquals: { "aws:ResourceTag/aws-cdk:bootstrap-role": ["deploy", "file-publishing", "lookup"] },
        },
      }),
    );
    acknowledge(
      role,
      "AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:iam::<AWS::AccountId>:role/cdk-*]",
      "The names of bootstrap's roles contain account, region and qualifier; the condition on their tag selects them.",
    );
    new CfnOutput(this, "DeployerRoleArn", {
      value: role.roleArn,
      description: "The variable AWS_DEPLOYER_ROLE of the repository's environments.",
    });
  }
}
