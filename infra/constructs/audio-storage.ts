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
  transcriptionsFolder,
  transcriptionsLifetimeDays,
  uploadsFolder,
} from "../../shared/storage/object-store.ts";

/** The bucket of audio files, which callers reach with signed links only, and the bucket of its access logs. */
export class AudioStorage extends Construct {
  readonly bucket: Bucket;

  constructor(scope: Construct, id: string, { removal }: { readonly removal: "retain" | "destroy" }) {
    super(scope, id);
    const guarded: BucketProps = {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      // CloudFormation can only delete an empty bucket.
      ...(removal === "destroy"
        ? { removalPolicy: RemovalPolicy.DESTROY, autoDeleteObjects: true }
        : { removalPolicy: RemovalPolicy.RETAIN }),
    };
    const accessLogs = new Bucket(this, "AccessLogs", {
      ...guarded,
      lifecycleRules: [{ expiration: Duration.days(90) }],
    });
    this.bucket = new Bucket(this, "Bucket", {
      ...guarded,
      // CDK's class and interface differ under `exactOptionalPropertyTypes`, which CDK itself is not compiled with.
      serverAccessLogsBucket: accessLogs as IBucket,
      serverAccessLogsPrefix: "audio/",
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
        { prefix: transcriptionsFolder, expiration: Duration.days(transcriptionsLifetimeDays) },
        { abortIncompleteMultipartUploadAfter: Duration.days(1) },
      ],
    });
  }
}
