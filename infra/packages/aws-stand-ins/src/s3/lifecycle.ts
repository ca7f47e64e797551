import type { LifecycleRule } from "./bucket-properties.ts";
import type { StoredObject } from "./object-store.ts";
import type { Storage } from "./storage.ts";

const dayInMilliseconds = 24 * 60 * 60 * 1000;

/**
 * Whether something made at `since` has reached its last day. S3 adds the days and then rounds up to the next
 * midnight UTC, so one day lasts between 24 and 48 hours.
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/intro-lifecycle-rules.html#intro-lifecycle-rules-number-of-days
 */
const isOver = (since: Date, days: number, now: Date): boolean => {
  const nextMidnight = Math.floor(since.getTime() / dayInMilliseconds) + days + 1;
  return now.getTime() >= nextMidnight * dayInMilliseconds;
};

const expires = (object: StoredObject, rule: LifecycleRule, now: Date): boolean =>
  rule.expirationInDays !== undefined && isOver(object.modifiedAt, rule.expirationInDays, now);

const expireObjects = (storage: Storage, bucketName: string, rule: LifecycleRule, now: Date): number => {
  const expired = [...storage.objects.list(bucketName, rule.prefix, "")].filter((object) =>
    expires(object, rule, now),
  );
  for (const { key } of expired) storage.objects.delete(bucketName, key);
  return expired.length;
};

const abortUploads = (storage: Storage, bucketName: string, rule: LifecycleRule, now: Date): void => {
  const days = rule.abortUploadsAfterDays;
  if (days === undefined) return;
  for (const upload of storage.uploads.list(bucketName)) {
    if (upload.key.startsWith(rule.prefix) && isOver(upload.createdAt, days, now)) {
      storage.uploads.delete(upload.id);
    }
  }
};

/**
 * Deletes expired objects and unfinished multipart uploads.
 *
 *
 * @returns the number of objects deleted.
 */
export const sweep = (storage: Storage, now: Date): number => {
  let expired = 0;
  for (const { name, lifecycle } of storage.buckets.list()) {
    for (const rule of lifecycle) {
      expired += expireObjects(storage, name, rule, now);
      abortUploads(storage, name, rule, now);
    }
  }
  return expired;
};
