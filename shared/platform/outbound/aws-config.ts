/** What is needed to call the services of AWS that are not called through the SDK, or only with their address. */
export interface AwsConfig {
  readonly region: string;
  readonly credentials: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
  };
  /** A server that replaces AWS; `undefined` for AWS itself. */
  readonly endpoints: Readonly<Record<"DynamoDB" | "SecretsManager" | "S3" | "SQS", string | undefined>>;
}
