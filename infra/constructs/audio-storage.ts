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
import { daySeconds } from "../../shared/platform/durations.ts";
import type { ObjectKind } from "../../shared/platform/storage/stored-kinds.ts";
import { storedKinds } from "../../shared/wiring/stored-kinds.ts";
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

/** Days after which objects of a kind are deleted; `undefined` for never. */
const daysOf = ({ lasts }: ObjectKind, settings: AudioStorageProps): number | undefined => {
  if ("seconds" in lasts) return Math.ceil(lasts.seconds / daySeconds);
  return "setting" in lasts && lasts.setting === "SPEECH_LIFETIME_DAYS"
    ? settings.SPEECH_LIFETIME_DAYS || undefined
    : undefined;
};

const lifecycleRules = (settings: AudioStorageProps): LifecycleRule[] => [
  // A rule can select objects by a tag but not exempt them, so files that must last are copied out of the uploads.
  ...storedKinds.objects.flatMap((kind) => {
    const days = daysOf(kind, settings);
    return days === undefined ? [] : [{ prefix: kind.folder, expiration: Duration.days(days) }];
  }),
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
