/** The region of every embedded service: what a synthesised template resolves `AWS::Region` to locally. */
export const localRegion = "us-east-1";

/** The account of every embedded service. Twelve zeros can never be a real account. */
export const localAccountId = "000000000000";

/**
 * The key pair that everything on the machine signs with. It protects nothing: anyone who can use it has access
 * already.
 */
export const localCredentials = {
  accessKeyId: "local-access-key",
  secretAccessKey: "local-secret-key",
} as const;
