import { CfnOutput, Duration, Stack, type StackProps } from "aws-cdk-lib";
import { OidcProviderNative, PolicyStatement, Role, WebIdentityPrincipal } from "aws-cdk-lib/aws-iam";
import type { Construct } from "constructs";
import * as z from "zod";

import { acknowledge } from "../constructs/acknowledge.ts";
import { pascalCase } from "./function-group.ts";

const issuer = "token.actions.githubusercontent.com";

/** A repository on GitHub: `owner/name`, or with its ids `owner@id/name@id`. */
export const repositoryName = z
  .string({ error: "Name the repository: -c repository=owner@id/name@id." })
  .regex(/^[\w.-]+(?:@\d+\/[\w.-]+@\d+|\/[\w.-]+)$/, {
    error: "The repository must look like owner@id/name@id, or owner/name for one from before 15 July 2026.",
  });

export interface PipelineStackProps extends StackProps {
  /** As {@link repositoryName} describes it. */
  readonly repository: string;
  /** Environments of that repository, one for each stage that it may deploy to this account. */
  readonly environments: readonly string[];
  /** Whether the account already trusts GitHub. It can have one provider for each issuer. */
  readonly hasProvider: boolean;
}

/**
 * Returns how GitHub may name a repository in the subject of a token. A repository that was created, renamed or transferred since
 * 15 July 2026, or whose owner chose so, is named with the ids of owner and repository, others without them
 * (https://docs.github.com/en/actions/reference/security/oidc#immutable-subject-claims).
 */
const namesInSubjects = (repository: string): string[] => [
  ...new Set([repository.replaceAll(/@\d+/g, ""), repository]),
];

/**
 * Lets the workflows of a repository deploy without a stored key: GitHub identifies a workflow run with a token (OpenID Connect),
 * which AWS exchanges for a role for some minutes. Each environment has a role of its own, which may only assume the roles of
 * `cdk bootstrap`. Pull requests, which run code that no one has reviewed, have a role that reads templates.
 */
export class PipelineStack extends Stack {
  readonly #providerArn: string;
  readonly #repository: string;

  constructor(scope: Construct, id: string, props: PipelineStackProps) {
    super(scope, id, props);
    this.#repository = props.repository;
    this.#providerArn = props.hasProvider
      ? this.formatArn({ service: "iam", region: "", resource: "oidc-provider", resourceName: issuer })
      : new OidcProviderNative(this, "GitHub", { url: `https://${issuer}`, clientIds: ["sts.amazonaws.com"] })
          .oidcProviderArn;
    for (const environment of props.environments) this.#addDeployer(environment);
    this.#addReviewer();
  }

  /** @param subject which workflow runs may assume the role. */
  #addRole(id: string, subject: string, description: string): Role {
    const role = new Role(this, id, {
      description,
      maxSessionDuration: Duration.hours(2),
      assumedBy: new WebIdentityPrincipal(this.#providerArn, {
        StringEquals: {
          [`${issuer}:aud`]: "sts.amazonaws.com",
          [`${issuer}:sub`]: namesInSubjects(this.#repository).map((name) => `repo:${name}:${subject}`),
        },
      }),
    });
    new CfnOutput(this, `${id}RoleArn`, { value: role.roleArn, description });
    return role;
  }

  #addDeployer(environment: string): void {
    const role = this.#addRole(
      `Deployer${pascalCase(environment)}`,
      `environment:${environment}`,
      `Deploys ${environment}: the variable AWS_DEPLOYER_ROLE of that environment of ${this.#repository}`,
    );
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
  }

  #addReviewer(): void {
    const role = this.#addRole(
      "Reviewer",
      "pull_request",
      `Compares templates: the variable AWS_REVIEWER_ROLE of ${this.#repository}`,
    );
    const stacks = { service: "cloudformation", resource: "stack", resourceName: "LanguageAi-*" };
    role.addToPolicy(
      new PolicyStatement({
        actions: ["cloudformation:DescribeStacks", "cloudformation:GetTemplate"],
        resources: [this.formatArn(stacks)],
      }),
    );
    acknowledge(
      role,
      "AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:cloudformation:<AWS::Region>:<AWS::AccountId>:stack/LanguageAi-*]",
      "The stacks of every stage. Their templates hold no secrets.",
    );
  }
}
