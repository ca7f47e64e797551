import { Duration } from "aws-cdk-lib";
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  type BucketProps,
  HttpMethods,
  type IBucket,
  type LifecycleRule,
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
import { removalPolicy } from "./lifetime.ts";

export type AudioStorageProps = Pick<StageSettings, "REMOVAL" | "SPEECH_LIFETIME_DAYS">;

const protection: BucketProps = {
  blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
  encryption: BucketEncryption.S3_MANAGED,
  enforceSSL: true,
  minimumTLSVersion: 1.2,
};

const lifecycleRules = ({ SPEECH_LIFETIME_DAYS }: AudioStorageProps): LifecycleRule[] => [
  // A rule can select objects by a tag but not exempt them, so files that must last are copied out of the uploads.
  { prefix: uploadsFolder, expiration: Duration.days(1) },
  { prefix: responsesFolder, expiration: Duration.days(1) },
  { prefix: jobsFolder, expiration: Duration.days(jobLifetimeDays) },
  { prefix: transcriptionsFolder, expiration: Duration.days(transcriptionsLifetimeDays) },
  ...(SPEECH_LIFETIME_DAYS > 0
    ? [{ prefix: speechFolder, expiration: Duration.days(SPEECH_LIFETIME_DAYS) }]
    : []),
  { abortIncompleteMultipartUploadAfter: Duration.days(1) },
];

/** The bucket of audio files, which callers reach with signed links only. A stage that is retained also has access logs. */
export class AudioStorage extends Construct {
  readonly bucket: Bucket;

  constructor(scope: Construct, id: string, settings: AudioStorageProps) {
    super(scope, id);
    const isRetained = settings.REMOVAL === "retain";
    const common: BucketProps = {
      ...protection,
      removalPolicy: removalPolicy(settings),
      // CloudFormation can only delete an empty bucket.
      ...(isRetained ? {} : { autoDeleteObjects: true }),
    };
    this.bucket = new Bucket(this, "Bucket", {
      ...common,
      ...(isRetained ? this.accessLogs(common) : {}),
      cors: [
        {
          allowedOrigins: ["*"],
          allowedMethods: [HttpMethods.GET, HttpMethods.PUT],
          allowedHeaders: ["*"],
          exposedHeaders: ["ETag"],
          maxAge: 7_200,
        },
      ],
      lifecycleRules: lifecycleRules(settings),
    });
    if (isRetained) return;
    acknowledge(
      this.bucket,
      "AwsSolutions-S1",
      "The stage is temporary: logs that arrive after its bucket was emptied would prevent the bucket's deletion.",
    );
  }

  private accessLogs(common: BucketProps): BucketProps {
    const accessLogs = new Bucket(this, "AccessLogs", {
      ...common,
      lifecycleRules: [{ expiration: Duration.days(90) }],
    });
    // CDK's class and interface differ under `exactOptionalPropertyTypes`, which CDK itself is not compiled with.
    return { serverAccessLogsBucket: accessLogs as IBucket, serverAccessLogsPrefix: "audio/" };
  }
}
