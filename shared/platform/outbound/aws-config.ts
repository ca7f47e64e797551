/** For calls to AWS without the SDK. */
export interface AwsConfig {
  readonly region: string;
  readonly credentials: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
  };
  /** A server that replaces AWS; `undefined` for AWS itself. */
  readonly endpoints: Readonly<
    Partial<
      Record<"CodeDeploy" | "DynamoDB" | "Lambda" | "SecretsManager" | "S3" | "SQS", string | undefined>
    >
  >;
}
