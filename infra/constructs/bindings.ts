import { Stack } from "aws-cdk-lib";
import type { TableV2 } from "aws-cdk-lib/aws-dynamodb";
import { Grant, type IGrantable, PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Secret } from "aws-cdk-lib/aws-secretsmanager";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import type { IConstruct } from "constructs";
import { senderPattern } from "../stage-settings.ts";

/** A function's variable together with the permission that makes it useful. */
export interface Binding {
  readonly value: string;
  /** Absent when the value needs no permission. */
  readonly grant?: (grantee: IGrantable) => void;
}

/** A value that needs no permission. */
export const plainBinding = (value: string | number): Binding => ({ value: String(value) });

const readActions = ["dynamodb:BatchGetItem", "dynamodb:GetItem", "dynamodb:Query"];
const tableActions = {
  read: readActions,
  "read-write": [
    ...readActions,
    "dynamodb:ConditionCheckItem",
    "dynamodb:DeleteItem",
    "dynamodb:PutItem",
    "dynamodb:UpdateItem",
  ],
};

/** The table's name. Every access is by key, so a scan is never allowed. */
export const tableBinding = (
  table: Pick<TableV2, "tableArn" | "tableName">,
  access: keyof typeof tableActions,
): Binding => ({
  value: table.tableName,
  grant: (grantee) => {
    Grant.addToPrincipal({ grantee, actions: tableActions[access], resourceArns: [table.tableArn] });
  },
});

/** The secret's ARN; its value stays in Secrets Manager and is read by the function itself. */
export const secretBinding = (secret: Pick<Secret, "secretArn">): Binding => ({
  value: secret.secretArn,
  grant: (grantee) => {
    const actions = ["secretsmanager:GetSecretValue"];
    Grant.addToPrincipal({ grantee, actions, resourceArns: [secret.secretArn] });
  },
});

const queueActions = { send: ["sqs:SendMessage"] };

/** The queue's address. What receives from a queue is attached to it with an event source. */
export const queueBinding = (
  queue: Pick<Queue, "queueArn" | "queueUrl">,
  access: keyof typeof queueActions,
): Binding => ({
  value: queue.queueUrl,
  grant: (grantee) => {
    Grant.addToPrincipal({ grantee, actions: queueActions[access], resourceArns: [queue.queueArn] });
  },
});

/**
 * The sender of mails, `Name <address>`, with the permission to send in this name and no other.
 *
 * SES checks the identity of the address when it is verified itself, otherwise that of its domain. A mail that is handed
 * over ready-made is `SendRawEmail` to IAM even though SES v2 has a single operation.
 */
export const mailSenderBinding = (scope: IConstruct, sender: string): Binding => ({
  value: sender,
  grant: (grantee) => {
    const address = senderPattern.exec(sender)?.[1] ?? sender;
    const identities = [address, address.slice(address.indexOf("@") + 1)];
    grantee.grantPrincipal.addToPrincipalPolicy(
      new PolicyStatement({
        actions: ["ses:SendEmail", "ses:SendRawEmail"],
        resources: identities.map((resourceName) =>
          Stack.of(scope).formatArn({ service: "ses", resource: "identity", resourceName }),
        ),
        conditions: { StringEquals: { "ses:FromAddress": address } },
      }),
    );
  },
});
