import { Duration, RemovalPolicy } from "aws-cdk-lib";
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  type BucketProps,
  HttpMethods,
  type IBucket,
} from "aws-cdk-lib/aws-s3";
import { Construct } from "constructs";
import {
  jobsFolder,
  responsesFolder,
  speechFolder,
  transcriptionsFolder,
  transcriptionsLifetimeDays,
  uploadsFolder,
} from "../../shared/platform/storage/object-store.ts";
import { jobLifetimeDays } from "../../shared/recordings/jobs/job.ts";
import type { StageSettings } from "../stage-settings.ts";
import { acknowledge } from "./acknowledge.ts";

export type AudioStorageProps = Pick<StageSettings, "REMOVAL" | "SPEECH_LIFETIME_DAYS">;

/** The bucket of audio files, which callers reach with signed links only, and in a stage that stays that of its access logs. */
export class AudioStorage extends Construct {
  readonly bucket: Bucket;

  constructor(scope: Construct, id: string, { REMOVAL, SPEECH_LIFETIME_DAYS }: AudioStorageProps) {
    super(scope, id);
    const guarded: BucketProps = {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      // CloudFormation can only delete an empty bucket.
      ...(REMOVAL === "destroy"
        ? { removalPolicy: RemovalPolicy.DESTROY, autoDeleteObjects: true }
        : { removalPolicy: RemovalPolicy.RETAIN }),
    };
    this.bucket = new Bucket(this, "Bucket", {
      ...guarded,
      ...(REMOVAL === "retain" ? this.accessLogs(guarded) : {}),
      cors: [
        {
          allowedOrigins: ["*"],
          allowedMethods: [HttpMethods.GET, HttpMethods.PUT],
          allowedHeaders: ["*"],
          exposedHeaders: ["ETag"],
          maxAge: 7_200,
        },
      ],
      lifecycleRules: [
        // A rule cannot spare objects by a tag, only choose them: what is to last is copied out of this folder.
        { prefix: uploadsFolder, expiration: Duration.days(1) },
        { prefix: responsesFolder, expiration: Duration.days(1) },
        { prefix: jobsFolder, expiration: Duration.days(jobLifetimeDays) },
        { prefix: transcriptionsFolder, expiration: Duration.days(transcriptionsLifetimeDays) },
        ...(SPEECH_LIFETIME_DAYS > 0
          ? [{ prefix: speechFolder, expiration: Duration.days(SPEECH_LIFETIME_DAYS) }]
          : []),
        { abortIncompleteMultipartUploadAfter: Duration.days(1) },
      ],
    });
    if (REMOVAL === "destroy") {
      acknowledge(
        this.bucket,
        "AwsSolutions-S1",
        "The stage is thrown away: logs that arrive after its bucket was emptied would keep the bucket from being deleted.",
      );
    }
  }

  private accessLogs(guarded: BucketProps): BucketProps {
    const accessLogs = new Bucket(this, "AccessLogs", {
      ...guarded,
      lifecycleRules: [{ expiration: Duration.days(90) }],
    });
    // CDK's class and interface differ under `exactOptionalPropertyTypes`, which CDK itself is not compiled with.
    return { serverAccessLogsBucket: accessLogs as IBucket, serverAccessLogsPrefix: "audio/" };
  }
}
