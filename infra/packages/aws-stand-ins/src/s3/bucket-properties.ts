import * as z from "zod";
import type { CorsRule } from "./cors.ts";

/** An enabled lifecycle rule; it applies to objects with the prefix. */
export const lifecycleRuleSchema = z.object({
  prefix: z.string(),
  expirationInDays: z.number().optional(),
  abortUploadsAfterDays: z.number().optional(),
});
export type LifecycleRule = z.infer<typeof lifecycleRuleSchema>;

const corsRule = z
  .strictObject({
    Id: z.string().optional(),
    AllowedOrigins: z.array(z.string()),
    AllowedMethods: z.array(z.string()),
    AllowedHeaders: z.array(z.string()).default([]),
    ExposedHeaders: z.array(z.string()).default([]),
    MaxAge: z.int().nonnegative().optional(),
  })
  .transform(
    (rule): CorsRule => ({
      allowedOrigins: rule.AllowedOrigins,
      allowedMethods: rule.AllowedMethods,
      allowedHeaders: rule.AllowedHeaders,
      exposedHeaders: rule.ExposedHeaders,
      maxAgeSeconds: rule.MaxAge,
    }),
  );

const withoutEffect = z.unknown().optional();

// Strict, because a condition that is not understood would delete objects that ought to stay.
const lifecycleRule = z.strictObject({
  Id: z.string().optional(),
  Status: z.enum(["Enabled", "Disabled"]),
  Prefix: z.string().default(""),
  ExpirationInDays: z.int().positive().optional(),
  AbortIncompleteMultipartUpload: z.strictObject({ DaysAfterInitiation: z.int().positive() }).optional(),
  // There are neither versions nor storage classes here.
  ExpiredObjectDeleteMarker: withoutEffect,
  NoncurrentVersionExpiration: withoutEffect,
  NoncurrentVersionExpirationInDays: withoutEffect,
  NoncurrentVersionTransition: withoutEffect,
  NoncurrentVersionTransitions: withoutEffect,
  Transition: withoutEffect,
  Transitions: withoutEffect,
});

const lifecycleRules = z.array(lifecycleRule).transform((rules): readonly LifecycleRule[] =>
  rules
    .filter(({ Status }) => Status === "Enabled")
    .map((rule) => ({
      prefix: rule.Prefix,
      expirationInDays: rule.ExpirationInDays,
      abortUploadsAfterDays: rule.AbortIncompleteMultipartUpload?.DaysAfterInitiation,
    })),
);

/**
 * The properties of an `AWS::S3::Bucket` that matter here. The others (encryption, public access, logging …) have
 * no meaning on a laptop and are passed over.
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-s3-bucket.html
 */
const bucketProperties = z
  .object({
    CorsConfiguration: z.object({ CorsRules: z.array(corsRule) }).default({ CorsRules: [] }),
    LifecycleConfiguration: z.object({ Rules: lifecycleRules }).default({ Rules: [] }),
  })
  .transform((properties) => ({
    cors: properties.CorsConfiguration.CorsRules,
    lifecycle: properties.LifecycleConfiguration.Rules,
  }));

/** @throws when the properties have another shape, or a lifecycle rule has a condition that is not understood. */
export const readBucketProperties = (bucketName: string, properties: unknown) => {
  const parsed = bucketProperties.safeParse(properties ?? {});
  if (!parsed.success) {
    throw new Error(
      `The properties of bucket ${bucketName} cannot be used:\n${z.prettifyError(parsed.error)}`,
    );
  }
  return parsed.data;
};
