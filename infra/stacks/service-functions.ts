import type { Construct } from "constructs";
import { authFunction } from "../../functions/auth/contract.ts";
import { authorizerFunction } from "../../functions/authorizer/contract.ts";
import { chatFunction } from "../../functions/chat/contract.ts";
import { consoleFunction } from "../../functions/console/contract.ts";
import { docsFunction } from "../../functions/docs/contract.ts";
import { jobsFunction } from "../../functions/jobs/contract.ts";
import { languageFunction } from "../../functions/language/contract.ts";
import { legacyFunction } from "../../functions/legacy/contract.ts";
import { inStage } from "../../functions/legacy/settings.ts";
import { speechFunction } from "../../functions/speech/contract.ts";
import { transcriptionFunction } from "../../functions/transcription/contract.ts";
import { translateFunction } from "../../functions/translate/contract.ts";
import { uploadFunction } from "../../functions/upload/contract.ts";
import { webhookFunction } from "../../functions/webhook/contract.ts";
import {
  jobsFolder,
  responsesFolder,
  speechFolder,
  transcriptionsFolder,
  uploadsFolder,
} from "../../shared/platform/storage/object-store.ts";
import {
  bucketBinding,
  type FolderAccess,
  plainBinding,
  queueBinding,
  secretBinding,
  tableBinding,
} from "../constructs/bindings.ts";
import type { ServiceFunction } from "../constructs/service-function.ts";
import { FunctionGroup, type FunctionGroupProps } from "./function-group.ts";
import { modelBindings } from "./model-bindings.ts";

/**
 * The functions that routes lead to, and the authorizer in front of them, with what each may touch: the one place where both
 * are decided.
 */
export class ServiceFunctions extends FunctionGroup {
  readonly all: readonly ServiceFunction[];
  readonly authorizer: ServiceFunction;

  constructor(scope: Construct, id: string, props: FunctionGroupProps) {
    super(scope, id, props);
    const { stage, data, publicBaseUrl } = props;
    const models = modelBindings(stage.inference, data.inferenceKeys);
    const vendors = {
      LEGACY_VENDOR_A: plainBinding(stage.legacy.vendors.a),
      LEGACY_VENDOR_B: plainBinding(stage.legacy.vendors.b),
    };
    const accountLimit = { UNVERIFIED_QUOTA_SHARE: plainBinding(stage.limits.unverifiedQuotaShare) };
    const ownSpeech: FolderAccess = { folder: speechFolder, access: "read-write" };
    const responses: FolderAccess = { folder: responsesFolder, access: "keep" };
    /** What goes with an account that is deleted. */
    const erasedFolders: readonly [FolderAccess, ...FolderAccess[]] = [
      { folder: speechFolder, access: "clear" },
      { folder: responsesFolder, access: "clear" },
      { folder: jobsFolder, access: "clear" },
      { folder: uploadsFolder, access: "delete" },
      { folder: transcriptionsFolder, access: "delete" },
    ];
    const allUploads: FolderAccess = { folder: uploadsFolder, access: "read-delete" };

    this.authorizer = this.add(authorizerFunction, {
      TOKEN_SECRET_ID: secretBinding(data.tokenSigningKey),
    });
    const chat = this.add(chatFunction, {
      TABLE_NAME: tableBinding(data.table, "admit", "move-usage", "answer-once"),
      BUCKET_NAME: bucketBinding(this, data.audioBucket, responses),
      ...accountLimit,
      TOKEN_SECRET_ID: secretBinding(data.tokenSigningKey),
      ...models.chat,
    });
    const streamAddress = stage.streamDomain
      ? `https://${stage.streamDomain.name}`
      : (chat.functionUrl?.url ?? publicBaseUrl);
    this.all = [
      this.authorizer,
      this.add(authFunction, {
        TABLE_NAME: tableBinding(data.table, "keep-accounts", "keep-usage", "delete-owned", "clear-jobs"),
        BUCKET_NAME: bucketBinding(this, data.audioBucket, ...erasedFolders, responses),
        ...accountLimit,
        TOKEN_SECRET_ID: secretBinding(data.tokenSigningKey),
        MAIL_QUEUE_URL: queueBinding(data.mail.queue, "send"),
        TOKEN_LIFETIME_DAYS: plainBinding(stage.tokenLifetimeDays),
        LIMIT_CREDENTIALS_PER_MINUTE: plainBinding(stage.limits.credentialsPerMinute),
        ...vendors,
      }),
      chat,
      this.add(docsFunction, { ...vendors, PUBLIC_BASE_URL: plainBinding(publicBaseUrl) }),
      this.add(languageFunction, {
        TABLE_NAME: tableBinding(data.table, "admit", "move-usage", "answer-once"),
        BUCKET_NAME: bucketBinding(this, data.audioBucket, responses),
        ...accountLimit,
      }),
      this.add(
        { ...legacyFunction, operations: inStage(legacyFunction.operations, stage.legacy) },
        {
          TABLE_NAME: tableBinding(
            data.table,
            "admit",
            "answer-once",
            "move-usage",
            "find-upload",
            "keep-transcriptions",
            "keep-owner",
          ),
          ...accountLimit,
          TOKEN_SECRET_ID: secretBinding(data.tokenSigningKey),
          ...models.chat,
          ...models.transcription,
          ...models.speech,
          SPEECH_PLATFORM: plainBinding(stage.inference.speech.platform),
          BUCKET_NAME: bucketBinding(this, data.audioBucket, responses, ownSpeech, allUploads, {
            folder: transcriptionsFolder,
            access: "read-write-delete",
          }),
          ...vendors,
          LEGACY_SUNSET: plainBinding(stage.legacy.sunset),
          LEGACY_PROVIDER_ROUTES: plainBinding(stage.legacy.providerRoutes),
        },
      ),
      this.add(translateFunction, {
        TABLE_NAME: tableBinding(data.table, "admit", "move-usage", "answer-once"),
        BUCKET_NAME: bucketBinding(this, data.audioBucket, responses),
        ...accountLimit,
        ...models.translation,
      }),
      this.add(speechFunction, {
        TABLE_NAME: tableBinding(data.table, "admit", "move-usage", "answer-once"),
        ...accountLimit,
        ...models.speech,
        SPEECH_PLATFORM: plainBinding(stage.inference.speech.platform),
        BUCKET_NAME: bucketBinding(this, data.audioBucket, responses, ownSpeech),
      }),
      this.add(transcriptionFunction, {
        TABLE_NAME: tableBinding(data.table, "admit", "move-usage", "answer-once", "find-upload"),
        ...accountLimit,
        ...models.transcription,
        ...models.translation,
        BUCKET_NAME: bucketBinding(this, data.audioBucket, responses, allUploads),
      }),
      this.add(uploadFunction, {
        TABLE_NAME: tableBinding(
          data.table,
          "admit",
          "move-usage",
          "count-addresses",
          "keep-uploads",
          "note-owner",
        ),
        ...accountLimit,
        TOKEN_SECRET_ID: secretBinding(data.tokenSigningKey),
        BUCKET_NAME: bucketBinding(this, data.audioBucket, { folder: uploadsFolder, access: "take" }),
        LIMIT_ANONYMOUS_PER_MINUTE: plainBinding(stage.limits.anonymousPerMinute),
      }),
      this.add(jobsFunction, {
        TABLE_NAME: tableBinding(
          data.table,
          "admit",
          "answer-once",
          "move-usage",
          "find-upload",
          "keep-callbacks",
          "keep-jobs",
        ),
        ...accountLimit,
        BUCKET_NAME: bucketBinding(this, data.audioBucket, responses, allUploads, {
          folder: jobsFolder,
          access: "read",
        }),
        JOB_QUEUE_URL: queueBinding(data.jobs.queue, "send"),
        PUBLIC_BASE_URL: plainBinding(publicBaseUrl),
        CALLBACKS_ALLOW_LOOPBACK: plainBinding(String(stage.callbacks.allowLoopback)),
      }),
      this.add(webhookFunction, {
        TABLE_NAME: tableBinding(data.table, "note-receipt"),
        MESSAGE_QUEUE_URL: queueBinding(data.messages.queue, "send"),
        MESSAGING_SECRET_ID: secretBinding(data.platformSecrets),
        MESSAGING_SIGNATURE_MODE: plainBinding(stage.messaging.signatureMode),
      }),
      this.add(consoleFunction, {
        TABLE_NAME: tableBinding(
          data.table,
          "keep-accounts",
          "keep-usage",
          "delete-owned",
          "clear-jobs",
          "keep-jobs",
        ),
        BUCKET_NAME: bucketBinding(
          this,
          data.audioBucket,
          ...erasedFolders,
          { folder: jobsFolder, access: "read" },
          { folder: uploadsFolder, access: "read" },
        ),
        JOB_QUEUE_URL: queueBinding(data.jobs.queue, "send"),
        ...accountLimit,
        TOKEN_SECRET_ID: secretBinding(data.tokenSigningKey),
        TOKEN_LIFETIME_DAYS: plainBinding(stage.tokenLifetimeDays),
        LIMIT_ANONYMOUS_PER_MINUTE: plainBinding(stage.limits.anonymousPerMinute),
        LIMIT_CREDENTIALS_PER_MINUTE: plainBinding(stage.limits.credentialsPerMinute),
        MAIL_QUEUE_URL: queueBinding(data.mail.queue, "send"),
        PUBLIC_BASE_URL: plainBinding(publicBaseUrl),
        CONSOLE_LANGUAGES: plainBinding(stage.consoleLanguages),
        CHAT_STREAM_URL: plainBinding(streamAddress),
        VISITOR_TRIES_PER_DAY: plainBinding(stage.limits.visitorAttemptsPerDay),
        IDENTITY_PROVIDERS: plainBinding(JSON.stringify(stage.identityProviders)),
        IDENTITY_PROVIDERS_SECRET_ID: secretBinding(data.identityProviders),
        ...vendors,
      }),
    ];
  }
}
