import { Stack } from "aws-cdk-lib";
import type { TableV2 } from "aws-cdk-lib/aws-dynamodb";
import { Effect, Grant, type IGrantable, PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Bucket } from "aws-cdk-lib/aws-s3";
import type { Secret } from "aws-cdk-lib/aws-secretsmanager";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import type { IConstruct } from "constructs";
import * as z from "zod";
import { auditKeyPrefix } from "../../shared/accounts/access/keys.ts";
import { addressOf } from "../stage-settings.ts";
import { acknowledge } from "./acknowledge.ts";
import { statementsFor, type TableAccess } from "./table-accesses.ts";

/** The value of a function's variable, with the permission that it needs. */
export interface Binding {
  readonly value: string;
  /** Absent when the value needs no permission. */
  readonly grant?: (grantee: IGrantable) => void;
}

/** A value that needs no permission. */
export const plainBinding = (value: string | number | boolean): Binding => ({ value: String(value) });

const onlyKeys = (prefixes: readonly string[]) => ({
  "ForAllValues:StringLike": { "dynamodb:LeadingKeys": prefixes.map((prefix) => `${prefix}*`) },
  // Without keys in the request, the condition above would be true.
  Null: { "dynamodb:LeadingKeys": "false" },
});

/**
 * Denies changes of what operators did. A change of an account is one transaction with its record, so both operations are allowed below
 * the audit's prefix as long as AWS may judge the keys of a transaction together; alone they are denied.
 */
const protectAudit = ({ tableArn }: Pick<TableV2, "tableArn">): PolicyStatement =>
  new PolicyStatement({
    effect: Effect.DENY,
    actions: ["dynamodb:DeleteItem", "dynamodb:UpdateItem"],
    resources: [tableArn],
    conditions: onlyKeys([auditKeyPrefix]),
  });

/**
 * The table's name, with permissions by key: no function may scan the table.
 *
 * @example
 * ```ts
 * // In `infra/stacks/service-functions.ts`: the variable and the permission come together.
 * this.add(siteFunction, { TABLE_NAME: tableBinding(this.props.data.table, "show-status") });
 * ```
 */
export const tableBinding = (
  table: Pick<TableV2, "tableArn" | "tableName">,
  ...accesses: readonly [TableAccess, ...TableAccess[]]
): Binding => ({
  value: table.tableName,
  grant: (grantee) => {
    for (const { actions, prefixes } of statementsFor(accesses)) {
      const resourceArns = [table.tableArn];
      Grant.addToPrincipal({ grantee, actions, resourceArns, conditions: onlyKeys(prefixes) });
    }
    const isAuditing = statementsFor(accesses).some(({ prefixes }) => prefixes.includes(auditKeyPrefix));
    if (isAuditing) grantee.grantPrincipal.addToPrincipalPolicy(protectAudit(table));
  },
});

/** The secret's ARN. The function reads the value from Secrets Manager. */
export const secretBinding = (secret: Pick<Secret, "secretArn">): Binding => ({
  value: secret.secretArn,
  grant: (grantee) => {
    const actions = ["secretsmanager:GetSecretValue"];
    Grant.addToPrincipal({ grantee, actions, resourceArns: [secret.secretArn] });
  },
});

const folderActions = {
  /** Reading uploads, and deleting those that are too large. */
  "read-delete": ["s3:DeleteObject", "s3:GetObject"],
  /** Signing links to upload, whole and in parts; checking and deleting what has arrived. */
  take: [
    "s3:AbortMultipartUpload",
    "s3:DeleteObject",
    "s3:GetObject",
    "s3:ListMultipartUploadParts",
    "s3:PutObject",
  ],
  /** Writing, also in parts, which may be aborted; reading, and signing links to download. */
  "read-write": ["s3:AbortMultipartUpload", "s3:GetObject", "s3:PutObject"],
  /** Writing and reading files that exist: a missing one is reported as 403, not 404. */
  store: ["s3:GetObject", "s3:PutObject"],
  /** The same, and deleting. */
  keep: ["s3:DeleteObject", "s3:GetObject", "s3:PutObject"],
  /** Listing and deleting. */
  clear: ["s3:DeleteObject"],
  /** Both of these. */
  "keep-clear": ["s3:AbortMultipartUpload", "s3:DeleteObject", "s3:GetObject", "s3:PutObject"],
  delete: ["s3:DeleteObject"],
  /** Adding files without reading any. */
  add: ["s3:PutObject"],
  read: ["s3:GetObject"],
  "read-write-delete": ["s3:AbortMultipartUpload", "s3:DeleteObject", "s3:GetObject", "s3:PutObject"],
};

/**
 * Whether an access lists its folder. Those that read do so only because S3 judges a request for a missing file like a listing
 * with the file's name: without this permission it responds with 403 instead of 404, also to signed links.
 */
const isListed = (access: keyof typeof folderActions): boolean =>
  access === "clear" ||
  access === "keep-clear" ||
  (access !== "keep" && access !== "store" && folderActions[access].includes("s3:GetObject"));

/** A folder of the bucket, and an access to its files. */
export interface FolderAccess {
  readonly folder: string;
  readonly access: keyof typeof folderActions;
}

const importedValue = z.object({ "Fn::ImportValue": z.string() });

/** Acknowledges the finding of cdk-nag that an access is to all files of a folder. */
const acknowledgeFolder = (scope: IConstruct, bucket: Bucket, folder: string): void => {
  const imported = importedValue.parse(bucket.stack.resolve(bucket.stack.exportValue(bucket.bucketArn)));
  acknowledge(
    scope,
    `AwsSolutions-IAM5[Resource::${imported["Fn::ImportValue"]}/${folder}*]`,
    "The service chooses names of files at run time; only the folder is known in advance.",
  );
};

/** The bucket's name, with access to some of its folders. */
export const bucketBinding = (
  scope: IConstruct,
  bucket: Bucket,
  ...folders: readonly [FolderAccess, ...FolderAccess[]]
): Binding => ({
  value: bucket.bucketName,
  grant: (grantee) => {
    for (const [folder, each] of Map.groupBy(folders, (part) => part.folder)) {
      const actions = [...new Set(each.flatMap(({ access }) => folderActions[access]))].toSorted();
      const resourceArns = [`${bucket.bucketArn}/${folder}*`];
      Grant.addToPrincipal({ grantee, actions, resourceArns });
      acknowledgeFolder(scope, bucket, folder);
    }
    const listed = folders.filter(({ access }) => isListed(access)).map(({ folder }) => `${folder}*`);
    if (listed.length === 0) return;
    Grant.addToPrincipal({
      grantee,
      actions: ["s3:ListBucket"],
      resourceArns: [bucket.bucketArn],
      conditions: { StringLike: { "s3:prefix": [...new Set(listed)] } },
    });
  },
});

const queueActions = {
  send: ["sqs:SendMessage"],
  "send-count": ["sqs:GetQueueAttributes", "sqs:SendMessage"],
  retry: ["sqs:ChangeMessageVisibility"],
  /** Showing messages of a dead-letter queue, and removing those that are sent again. */
  look: ["sqs:ChangeMessageVisibility", "sqs:DeleteMessage", "sqs:ReceiveMessage"],
  "send-retry": ["sqs:ChangeMessageVisibility", "sqs:SendMessage"],
};

/** The queue's URL. A function that receives from it has an event source instead. */
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
 * The sender of mails, `Name <address>`, with the permission to send from this address and no other.
 *
 * SES checks the permission for several identities: the sender's address or domain, an identity's own configuration set, and
 * the recipient if it is verified, as every recipient is in the sandbox. To IAM, sending a complete message is `SendRawEmail`,
 * although SES v2 has a single operation.
 */
export const mailSenderBinding = (scope: IConstruct, sender: string): Binding => ({
  value: sender,
  grant: (grantee) => {
    grantee.grantPrincipal.addToPrincipalPolicy(
      new PolicyStatement({
        actions: ["ses:SendEmail", "ses:SendRawEmail"],
        resources: ["identity", "configuration-set"].map((resource) =>
          Stack.of(scope).formatArn({ service: "ses", resource, resourceName: "*" }),
        ),
        conditions: { StringEquals: { "ses:FromAddress": addressOf(sender) } },
      }),
    );
    for (const resource of ["identity", "configuration-set"]) {
      acknowledge(
        scope,
        `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:ses:<AWS::Region>:<AWS::AccountId>:${resource}/*]`,
        "SES decides which identities it checks for a mail; the condition names the one sender.",
      );
    }
  },
});
