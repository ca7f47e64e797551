import { Stack } from "aws-cdk-lib";
import type { TableV2 } from "aws-cdk-lib/aws-dynamodb";
import { Grant, type IGrantable, PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Bucket } from "aws-cdk-lib/aws-s3";
import type { Secret } from "aws-cdk-lib/aws-secretsmanager";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import type { IConstruct } from "constructs";
import * as z from "zod";
import { transcriptionKeyPrefix } from "../../functions/legacy/keys.ts";
import {
  accessKeyPrefix,
  accountKeyPrefixes,
  ownedKeyPrefix,
  recipientKeyPrefixes,
} from "../../shared/accounts/access/keys.ts";
import { limitKeyPrefix, mailKeyPrefix, usageKeyPrefix } from "../../shared/accounts/limits/keys.ts";
import { idempotencyKeyPrefix } from "../../shared/http/idempotency/keys.ts";
import { senderKeyPrefix } from "../../shared/messaging/keys.ts";
import { callbackKeyPrefix } from "../../shared/recordings/callbacks/keys.ts";
import { assistantJobKeyPrefix, jobKeyPrefix } from "../../shared/recordings/jobs/keys.ts";
import { uploadKeyPrefix } from "../../shared/recordings/uploads/keys.ts";
import { addressOf } from "../stage-settings.ts";
import { acknowledge } from "./acknowledge.ts";

/** The value of a function's variable, with the permission that it needs. */
export interface Binding {
  readonly value: string;
  /** Absent when the value needs no permission. */
  readonly grant?: (grantee: IGrantable) => void;
}

/** A value that needs no permission. */
export const plainBinding = (value: string | number | boolean): Binding => ({ value: String(value) });

const items = (keyPrefixes: readonly string[], ...operations: readonly string[]) => ({
  keyPrefixes,
  actions: operations.map((operation) => `dynamodb:${operation}`),
});

/** What functions may do with items of the table, by the beginnings of the items' keys. None is for the whole table. */
const tableAccesses = {
  /** Creating links for an account and counting its mails. */
  "write-mails": items([...recipientKeyPrefixes, mailKeyPrefix], "GetItem", "PutItem", "UpdateItem"),
  /** Noting that an address gets no mails any longer. */
  "withhold-mails": items([mailKeyPrefix], "PutItem"),
  /** Managing accounts, their counters and their lists of what they own. */
  "keep-accounts": items(
    [...accountKeyPrefixes, limitKeyPrefix, idempotencyKeyPrefix, callbackKeyPrefix],
    "BatchWriteItem",
    "ConditionCheckItem",
    "DeleteItem",
    "GetItem",
    "PutItem",
    "Query",
    "UpdateItem",
  ),
  /** Moving usage to the items of past days. */
  "move-usage": items([usageKeyPrefix], "UpdateItem"),
  /** Moving and reading usage. */
  "keep-usage": items([usageKeyPrefix], "Query", "UpdateItem"),
  /** Deleting an account's uploads and transcriptions. */
  "delete-owned": items([uploadKeyPrefix, transcriptionKeyPrefix], "DeleteItem"),
  /** Noting and deleting an owner. */
  "keep-owner": items([ownedKeyPrefix], "DeleteItem", "PutItem"),
  /** Checking tokens and counting an account's requests: each request writes these items. */
  admit: items([accessKeyPrefix], "GetItem", "UpdateItem"),
  /** Showing and replacing the secrets of callbacks, and noting their outcomes. */
  "keep-callbacks": items([callbackKeyPrefix], "GetItem", "UpdateItem"),
  /** Storing the responses of idempotent requests. */
  "store-responses": items([idempotencyKeyPrefix], "UpdateItem"),
  /** Counting requests of addresses. */
  "count-addresses": items([limitKeyPrefix], "UpdateItem"),
  /** Creating jobs, working on them and deleting them. */
  "keep-jobs": items([jobKeyPrefix], "DeleteItem", "GetItem", "PutItem", "Query", "UpdateItem"),
  /** Creating jobs for people who send the assistant long recordings. */
  "create-assistant-jobs": items([assistantJobKeyPrefix], "GetItem", "PutItem", "UpdateItem"),
  /** Deleting the jobs of an account. */
  "clear-jobs": items([jobKeyPrefix], "BatchWriteItem", "Query"),
  /** Checking the account of a job, and refunding audio that the job has not transcribed. */
  "refund-audio": items([accessKeyPrefix], "GetItem", "UpdateItem"),
  /** Finding an upload. */
  "find-upload": items([uploadKeyPrefix], "GetItem"),
  /** Storing, finding and deleting uploads. */
  "keep-uploads": items([uploadKeyPrefix], "DeleteItem", "GetItem", "PutItem"),
  /** Replying to people, with their state. */
  converse: items([senderKeyPrefix], "GetItem", "PutItem", "UpdateItem"),
  /** Noting reports about replies. */
  "note-receipt": items([senderKeyPrefix], "UpdateItem"),
  /** Storing, finding and deleting transcriptions. */
  "keep-transcriptions": items([transcriptionKeyPrefix], "DeleteItem", "GetItem", "PutItem", "UpdateItem"),
};

export type TableAccess = keyof typeof tableAccesses;

const onlyKeys = (prefixes: readonly string[]) => ({
  "ForAllValues:StringLike": { "dynamodb:LeadingKeys": prefixes.map((prefix) => `${prefix}*`) },
  // Without keys in the request, the condition above would be true.
  Null: { "dynamodb:LeadingKeys": "false" },
});

/** The table's name, with permissions by key: no function may scan the table. */
export const tableBinding = (
  table: Pick<TableV2, "tableArn" | "tableName">,
  ...accesses: readonly [TableAccess, ...TableAccess[]]
): Binding => ({
  value: table.tableName,
  grant: (grantee) => {
    for (const access of accesses) {
      const { actions, keyPrefixes } = tableAccesses[access];
      Grant.addToPrincipal({
        grantee,
        actions,
        resourceArns: [table.tableArn],
        conditions: onlyKeys(keyPrefixes),
      });
    }
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
  /** Writing, reading and deleting files that exist: a missing one is reported as 403, not 404. */
  keep: ["s3:DeleteObject", "s3:GetObject", "s3:PutObject"],
  /** Listing and deleting. */
  clear: ["s3:DeleteObject"],
  /** Both of these. */
  "keep-clear": ["s3:DeleteObject", "s3:GetObject", "s3:PutObject"],
  delete: ["s3:DeleteObject"],
  read: ["s3:GetObject"],
  "read-write-delete": ["s3:AbortMultipartUpload", "s3:DeleteObject", "s3:GetObject", "s3:PutObject"],
};

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
    for (const { folder, access } of folders) {
      const resourceArns = [`${bucket.bucketArn}/${folder}*`];
      Grant.addToPrincipal({ grantee, actions: folderActions[access], resourceArns });
      acknowledgeFolder(scope, bucket, folder);
    }
    const cleared = folders.filter(({ access }) => access === "clear" || access === "keep-clear");
    if (cleared.length > 0) {
      Grant.addToPrincipal({
        grantee,
        actions: ["s3:ListBucket"],
        resourceArns: [bucket.bucketArn],
        conditions: { StringLike: { "s3:prefix": cleared.map(({ folder }) => `${folder}*`) } },
      });
    }
    // Without the permission to list, S3 responds with 403 instead of 404 for a missing file, also to signed links.
    if (folders.some(({ access }) => access !== "keep" && folderActions[access].includes("s3:GetObject"))) {
      Grant.addToPrincipal({ grantee, actions: ["s3:ListBucket"], resourceArns: [bucket.bucketArn] });
    }
  },
});

const queueActions = {
  send: ["sqs:SendMessage"],
  retry: ["sqs:ChangeMessageVisibility"],
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
