import { CfnOutput } from "aws-cdk-lib";
import { AccountRootPrincipal } from "aws-cdk-lib/aws-iam";
import { Construct } from "constructs";
import { bucketBinding, queueBinding, tableBinding } from "../constructs/bindings.ts";
import { InlineRole } from "../constructs/inline-role.ts";
import type { DataStack } from "./data-stack.ts";
import { erasedFolders } from "./erased-folders.ts";

/** The role with which operators run the commands on accounts and usage. The account's own policies say who may take it. */
export class OperatorRole extends Construct {
  constructor(
    scope: Construct,
    id: string,
    { table, audioBucket, mail }: Pick<DataStack, "table" | "audioBucket" | "mail">,
  ) {
    super(scope, id);
    const role = new InlineRole(this, "Role", {
      assumedBy: new AccountRootPrincipal(),
      description: "Runs the operator's commands: npm run account, npm run usage, npm run feedback",
    });
    tableBinding(table, "find-accounts", "operate-accounts", "erase-accounts", "decide-tiers").grant?.(role);
    bucketBinding(this, audioBucket, ...erasedFolders).grant?.(role);
    queueBinding(mail.queue, "send").grant?.(role);
    new CfnOutput(this, "Arn", { value: role.roleArn }).overrideLogicalId("OperatorRoleArn");
  }
}
