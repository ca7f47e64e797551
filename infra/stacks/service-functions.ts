import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import type { Construct } from "constructs";
import { authFunction } from "../../functions/auth/contract.ts";
import { authorizerFunction } from "../../functions/authorizer/contract.ts";
import { chatFunction } from "../../functions/chat/definition.ts";
import { consoleFunction } from "../../functions/console/contract.ts";
import { docsFunction } from "../../functions/docs/contract.ts";
import { jobsFunction } from "../../functions/jobs/definition.ts";
import { languageFunction } from "../../functions/language/contract.ts";
import { legacyFunction } from "../../functions/legacy/definition.ts";
import { inStage } from "../../functions/legacy/settings.ts";
import { mcpFunction } from "../../functions/mcp/contract.ts";
import { operatorsFunction } from "../../functions/operators/contract.ts";
import { siteFunction } from "../../functions/site/contract.ts";
import { speechFunction } from "../../functions/speech/definition.ts";
import { transcriptionFunction } from "../../functions/transcription/definition.ts";
import { translateFunction } from "../../functions/translate/definition.ts";
import { uploadFunction } from "../../functions/upload/contract.ts";
import { webhookFunction } from "../../functions/webhook/contract.ts";
import {
  exportsFolder,
  jobsFolder,
  responsesFolder,
  speechFolder,
  transcriptionsFolder,
  uploadsFolder,
} from "../../shared/platform/storage/object-store.ts";
import { acknowledge } from "../constructs/acknowledge.ts";
import {
  bucketBinding,
  type FolderAccess,
  plainBinding,
  queueBinding,
  tableBinding,
} from "../constructs/bindings.ts";
import { streamDomainOf } from "../constructs/public-domains.ts";
import type { ServiceFunction } from "../constructs/service-function.ts";
import type { TableAccess } from "../constructs/table-accesses.ts";
import type { FunctionGroupProps } from "./common-bindings.ts";
import { erasedFolders, exportedFolders } from "./erased-folders.ts";
import { FunctionGroup } from "./function-group.ts";

const responses: FolderAccess = { folder: responsesFolder, access: "keep" };
const storedSpeech: FolderAccess = { folder: speechFolder, access: "read-write" };
const accounts = ["find-accounts", "keep-accounts", "admit", "erase-accounts"] as const;
const allUploads: FolderAccess = { folder: uploadsFolder, access: "read-delete" };

/**
 * The functions behind the API's routes, and the authorizer in front of them, with the permissions of each. A function gets the
 * secrets that it declares ({@link commonBindings}).
 */
export class ServiceFunctions extends FunctionGroup {
  readonly all: readonly ServiceFunction[];
  readonly authorizer: ServiceFunction;
  /** Proves to the chat function that a request came through the domain for streams; `undefined` without that domain. */
  readonly originSecret: Secret | undefined;

  constructor(scope: Construct, id: string, props: FunctionGroupProps) {
    super(scope, id, props);
    this.authorizer = this.add(authorizerFunction, {});
    this.originSecret = streamDomainOf(props.stage.settings) ? this.addOriginSecret() : undefined;
    const chat = this.add(chatFunction, {
      ...this.taskStores(["count-model-calls"], [responses]),
      ORIGIN_SECRET: plainBinding(this.originSecret?.secretValue.unsafeUnwrap() ?? ""),
    });
    this.all = [
      this.authorizer,
      this.addAuth(),
      chat,
      this.add(docsFunction, {}),
      this.add(languageFunction, this.taskStores()),
      this.addLegacy(),
      this.add(translateFunction, this.taskStores(["count-model-calls"])),
      this.add(speechFunction, this.taskStores(["count-model-calls"], [storedSpeech])),
      this.add(
        transcriptionFunction,
        this.taskStores(["find-upload", "count-model-calls"], [responses, allUploads]),
      ),
      this.addUpload(),
      this.addJobs(),
      this.addMcp(),
      this.addWebhook(),
      this.addConsole(chat),
      this.addOperators(),
      this.add(siteFunction, { TABLE_NAME: tableBinding(props.data.table, "show-status") }),
    ];
  }

  private addOriginSecret(): Secret {
    const secret = new Secret(this, "OriginSecret", {
      description: "Sent by the domain for streams to the chat function",
      generateSecretString: { passwordLength: 48, excludePunctuation: true },
    });
    acknowledge(
      secret,
      "AwsSolutions-SMG4",
      "CloudFormation reads it when it deploys, for the domain and the function together, so it changes with a deployment only.",
    );
    return secret;
  }

  /**
   * The table and bucket for tasks: admission, usage, and the responses of idempotent requests. Only responses that can be too
   * large for the table need a folder.
   */
  private taskStores(
    accesses: readonly TableAccess[] = [],
    [first, ...others]: readonly FolderAccess[] = [],
  ) {
    const { table, audioBucket } = this.props.data;
    return {
      TABLE_NAME: tableBinding(table, "admit", "store-responses", ...accesses),
      BUCKET_NAME: first
        ? bucketBinding(this, audioBucket, first, ...others)
        : plainBinding(audioBucket.bucketName),
    };
  }

  private addAuth(): ServiceFunction {
    const { table, audioBucket, callbacks, mail, exports } = this.props.data;
    return this.add(authFunction, {
      TABLE_NAME: tableBinding(table, ...accounts, "store-responses", "resend-callbacks"),
      BUCKET_NAME: bucketBinding(this, audioBucket, ...erasedFolders, ...exportedFolders, {
        folder: exportsFolder,
        access: "read",
      }),
      CALLBACK_QUEUE_URL: queueBinding(callbacks.queue, "send"),
      MAIL_QUEUE_URL: queueBinding(mail.queue, "send"),
      EXPORT_QUEUE_URL: queueBinding(exports.queue, "send"),
    });
  }

  private addLegacy(): ServiceFunction {
    const { LEGACY_VENDOR_A: a, LEGACY_VENDOR_B: b } = this.props.stage.settings;
    return this.add(
      { ...legacyFunction, operations: inStage(legacyFunction.operations, { vendors: { a, b } }) },
      this.taskStores(
        ["find-upload", "keep-transcriptions", "keep-owner", "count-model-calls"],
        [responses, storedSpeech, allUploads, { folder: transcriptionsFolder, access: "read-write-delete" }],
      ),
    );
  }

  private addUpload(): ServiceFunction {
    const { table, audioBucket } = this.props.data;
    return this.add(uploadFunction, {
      TABLE_NAME: tableBinding(table, "admit", "count-addresses", "keep-uploads", "keep-owner"),
      BUCKET_NAME: bucketBinding(this, audioBucket, { folder: uploadsFolder, access: "take" }),
    });
  }

  private addJobs(): ServiceFunction {
    return this.add(jobsFunction, {
      ...this.taskStores(
        ["keep-uploads", "keep-owner", "keep-callbacks", "keep-jobs", "count-model-calls"],
        [
          allUploads,
          { folder: uploadsFolder, access: "store" },
          { folder: jobsFolder, access: "read" },
          { folder: jobsFolder, access: "store" },
        ],
      ),
      JOB_QUEUE_URL: queueBinding(this.props.data.jobs.queue, "send-count"),
    });
  }

  /** What the operations behind its tools need. */
  private addMcp(): ServiceFunction {
    return this.add(mcpFunction, {
      ...this.taskStores(
        ["find-upload", "keep-callbacks", "create-jobs", "count-model-calls"],
        [
          responses,
          storedSpeech,
          allUploads,
          { folder: jobsFolder, access: "read" },
          { folder: jobsFolder, access: "store" },
        ],
      ),
      JOB_QUEUE_URL: queueBinding(this.props.data.jobs.queue, "send-count"),
    });
  }

  private addWebhook(): ServiceFunction {
    const { table, messages } = this.props.data;
    return this.add(webhookFunction, {
      TABLE_NAME: tableBinding(table, "note-receipt"),
      MESSAGE_QUEUE_URL: queueBinding(messages.queue, "send"),
    });
  }

  private addConsole(chat: ServiceFunction): ServiceFunction {
    const { stage, data, publicBaseUrl } = this.props;
    const { STREAM_DOMAIN_NAME: streamDomain } = stage.settings;
    return this.add(consoleFunction, {
      TABLE_NAME: tableBinding(
        data.table,
        ...accounts,
        "join-identities",
        "disown-accounts",
        "keep-jobs",
        "show-requests",
        "resend-callbacks",
        "request-tier",
      ),
      BUCKET_NAME: bucketBinding(
        this,
        data.audioBucket,
        ...erasedFolders,
        { folder: jobsFolder, access: "read" },
        { folder: uploadsFolder, access: "read" },
        { folder: exportsFolder, access: "read" },
      ),
      EXPORT_QUEUE_URL: queueBinding(data.exports.queue, "send"),
      JOB_QUEUE_URL: queueBinding(data.jobs.queue, "send"),
      MAIL_QUEUE_URL: queueBinding(data.mail.queue, "send"),
      CALLBACK_QUEUE_URL: queueBinding(data.callbacks.queue, "send"),
      CHAT_STREAM_URL: plainBinding(
        streamDomain ? `https://${streamDomain}` : (chat.functionUrl?.url ?? publicBaseUrl),
      ),
    });
  }

  private addOperators(): ServiceFunction {
    const { table, audioBucket, callbacks, jobs, mail } = this.props.data;
    return this.add(operatorsFunction, {
      TABLE_NAME: tableBinding(
        table,
        "find-accounts",
        "act-on-accounts",
        "erase-accounts",
        "show-jobs",
        "show-operators",
        "resend-callbacks",
        "decide-tiers",
      ),
      BUCKET_NAME: bucketBinding(
        this,
        audioBucket,
        ...erasedFolders,
        { folder: jobsFolder, access: "read" },
        { folder: uploadsFolder, access: "read" },
      ),
      JOB_QUEUE_URL: queueBinding(jobs.queue, "send"),
      MAIL_QUEUE_URL: queueBinding(mail.queue, "send"),
      CALLBACK_QUEUE_URL: queueBinding(callbacks.queue, "send"),
      MAIL_DEAD_LETTER_QUEUE_URL: queueBinding(mail.deadLetterQueue, "look"),
      CALLBACK_DEAD_LETTER_QUEUE_URL: queueBinding(callbacks.deadLetterQueue, "look"),
      JOB_DEAD_LETTER_QUEUE_URL: queueBinding(jobs.deadLetterQueue, "look"),
    });
  }
}
