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

/** A function's variable together with the permission that makes it useful. */
export interface Binding {
  readonly value: string;
  /** Absent when the value needs no permission. */
  readonly grant?: (grantee: IGrantable) => void;
}

/** A value that needs no permission. */
export const plainBinding = (value: string | number | boolean): Binding => ({ value: String(value) });

const tableActions = {
  /** What making a link for an account, and counting the mails to it, needs, on such items only. */
  "write-mails": ["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem"],
  /** What noting that an address gets no mails any more needs, on such notes only. */
  "withhold-mails": ["dynamodb:PutItem"],
  /** What keeping accounts needs, on the items of accounts, what is counted of them and what they own only. */
  "keep-accounts": [
    "dynamodb:BatchWriteItem",
    "dynamodb:ConditionCheckItem",
    "dynamodb:DeleteItem",
    "dynamodb:GetItem",
    "dynamodb:PutItem",
    "dynamodb:Query",
    "dynamodb:UpdateItem",
  ],
  /** What moving usage to the items of days that are over needs, on such items only. */
  "move-usage": ["dynamodb:UpdateItem"],
  /** The same, and reading them. */
  "keep-usage": ["dynamodb:Query", "dynamodb:UpdateItem"],
  /** What deleting what an account has made needs, on such items only. */
  "delete-owned": ["dynamodb:DeleteItem"],
  /** What noting whose something is needs, on such notes only. */
  "note-owner": ["dynamodb:PutItem"],
  /** The same, and forgetting it again. */
  "keep-owner": ["dynamodb:DeleteItem", "dynamodb:PutItem"],
  /** What checking tokens and counting requests of accounts needs, on the items only that every request writes. */
  admit: ["dynamodb:GetItem", "dynamodb:UpdateItem"],
  /** What showing and replacing the secrets of callbacks needs, and noting what became of these, on their own items only. */
  "keep-callbacks": ["dynamodb:GetItem", "dynamodb:UpdateItem"],
  /** What carrying out idempotent requests once needs, on what is kept of them only. */
  "answer-once": ["dynamodb:UpdateItem"],
  /** What checking a token needs that need not be there, on the same items. */
  "check-token": ["dynamodb:GetItem"],
  /** What counting requests of addresses needs, on the limits' own items only. */
  "count-addresses": ["dynamodb:UpdateItem"],
  /** What making jobs, working on them and clearing them away needs, on the jobs' own items only. */
  "keep-jobs": [
    "dynamodb:DeleteItem",
    "dynamodb:GetItem",
    "dynamodb:PutItem",
    "dynamodb:Query",
    "dynamodb:UpdateItem",
  ],
  /** What having long recordings transcribed for people needs, on the assistant's own jobs only. */
  "have-transcribed": ["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem"],
  /** What deleting the jobs of an account needs, on the same items. */
  "clear-jobs": ["dynamodb:BatchWriteItem", "dynamodb:Query"],
  /** What giving back what a job has not transcribed needs, on the items in which that is counted only. */
  "refund-audio": ["dynamodb:UpdateItem"],
  /** What finding an upload needs, on the uploads' own items only. */
  "find-upload": ["dynamodb:GetItem"],
  /** What remembering, finding and forgetting uploads needs, on the uploads' own items only. */
  "keep-uploads": ["dynamodb:DeleteItem", "dynamodb:GetItem", "dynamodb:PutItem"],
  /** What answering people needs, on what is known of them only. */
  converse: ["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem"],
  /** What noting reports about answers needs, on what is known of people only. */
  "note-receipt": ["dynamodb:UpdateItem"],
  /** What saving transcriptions, finding and deleting them again needs, on the transcriptions' own items only. */
  "keep-transcriptions": [
    "dynamodb:DeleteItem",
    "dynamodb:GetItem",
    "dynamodb:PutItem",
    "dynamodb:UpdateItem",
  ],
};

export type TableAccess = keyof typeof tableActions;

/** With which keys the items begin that an access is for: none is for the whole table. */
const keyPrefixes: Readonly<Record<TableAccess, readonly string[]>> = {
  "write-mails": [...recipientKeyPrefixes, mailKeyPrefix],
  "withhold-mails": [mailKeyPrefix],
  "keep-accounts": [...accountKeyPrefixes, limitKeyPrefix, idempotencyKeyPrefix, callbackKeyPrefix],
  "move-usage": [usageKeyPrefix],
  "keep-usage": [usageKeyPrefix],
  "delete-owned": [uploadKeyPrefix, transcriptionKeyPrefix],
  "note-owner": [ownedKeyPrefix],
  "keep-owner": [ownedKeyPrefix],
  admit: [accessKeyPrefix],
  "keep-callbacks": [callbackKeyPrefix],
  "answer-once": [idempotencyKeyPrefix],
  "check-token": [accessKeyPrefix],
  "count-addresses": [limitKeyPrefix],
  "keep-jobs": [jobKeyPrefix],
  "have-transcribed": [assistantJobKeyPrefix],
  "clear-jobs": [jobKeyPrefix],
  "refund-audio": [accessKeyPrefix],
  "find-upload": [uploadKeyPrefix],
  "keep-uploads": [uploadKeyPrefix],
  converse: [senderKeyPrefix],
  "note-receipt": [senderKeyPrefix],
  "keep-transcriptions": [transcriptionKeyPrefix],
};

const onlyKeys = (prefixes: readonly string[]) => ({
  "ForAllValues:StringLike": { "dynamodb:LeadingKeys": prefixes.map((prefix) => `${prefix}*`) },
  // Without keys in the request the condition above would hold for nothing at all, and so allow it.
  Null: { "dynamodb:LeadingKeys": "false" },
});

/** The table's name. Every access is by key, so a scan is never allowed. */
export const tableBinding = (
  table: Pick<TableV2, "tableArn" | "tableName">,
  ...accesses: readonly [TableAccess, ...TableAccess[]]
): Binding => ({
  value: table.tableName,
  grant: (grantee) => {
    for (const access of accesses) {
      Grant.addToPrincipal({
        grantee,
        actions: tableActions[access],
        resourceArns: [table.tableArn],
        conditions: onlyKeys(keyPrefixes[access]),
      });
    }
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

const folderActions = {
  /** What using uploads needs, and removing those that are too large. */
  "read-delete": ["s3:DeleteObject", "s3:GetObject"],
  /** What links to upload need, whole and in parts; to find out what has arrived, and to remove it. */
  take: [
    "s3:AbortMultipartUpload",
    "s3:DeleteObject",
    "s3:GetObject",
    "s3:ListMultipartUploadParts",
    "s3:PutObject",
  ],
  /** Also what a link to download needs. Writing in parts includes giving up half-way. */
  "read-write": ["s3:AbortMultipartUpload", "s3:GetObject", "s3:PutObject"],
  /** What keeping files needs that are known to be there: nobody needs to be told that one is not. */
  keep: ["s3:DeleteObject", "s3:GetObject", "s3:PutObject"],
  /** Also finding out what there is. */
  clear: ["s3:DeleteObject"],
  /** All of these. */
  "keep-clear": ["s3:DeleteObject", "s3:GetObject", "s3:PutObject"],
  delete: ["s3:DeleteObject"],
  /** What reading uploads needs. */
  read: ["s3:GetObject"],
  "read-write-delete": ["s3:AbortMultipartUpload", "s3:DeleteObject", "s3:GetObject", "s3:PutObject"],
};

/** One of the bucket's folders, and what may be done with the files in it. */
export interface FolderAccess {
  readonly folder: string;
  readonly access: keyof typeof folderActions;
}

const importedValue = z.object({ "Fn::ImportValue": z.string() });

/** States that access to all files of a folder is meant, in the words that cdk-nag finds for them. */
const acknowledgeFolder = (scope: IConstruct, bucket: Bucket, folder: string): void => {
  const imported = importedValue.parse(bucket.stack.resolve(bucket.stack.exportValue(bucket.bucketArn)));
  acknowledge(
    scope,
    `AwsSolutions-IAM5[Resource::${imported["Fn::ImportValue"]}/${folder}*]`,
    "Names of files are made up while the service runs; the folder is what can be told in advance.",
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
    // Who may not list a bucket is told 403 instead of 404 for what is not there, and so are the links they sign.
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
 * The sender of mails, `Name <address>`, with the permission to send in this name and no other: that is what the condition
 * says.
 *
 * Which identities SES asks for depends on the account: the sender's address or its domain, and the recipient's too where that
 * is verified, as everybody's is in the sandbox; and an identity's own configuration set. A mail that is handed over
 * ready-made is `SendRawEmail` to IAM even though SES v2 has a single operation.
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
        "SES decides which identities a mail concerns; the condition names the one sender.",
      );
    }
  },
});
