import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { paginateListObjectsV2, S3Client } from "@aws-sdk/client-s3";
import { DynamoDBDocumentClient, paginateScan } from "@aws-sdk/lib-dynamodb";
import { localCredentials, localRegion } from "@language-ai/aws-stand-ins";
import * as z from "zod";
import { findRunningService } from "../../infra/local/running-service.ts";
import { daySeconds } from "../../shared/platform/durations.ts";
import { kindOfItem, kindOfObject, type StoredKinds } from "../../shared/platform/storage/stored-kinds.ts";
import { storedKinds } from "../../shared/wiring/stored-kinds.ts";

const storedItem = z.looseObject({ PK: z.string(), SK: z.string(), expires_at: z.number().optional() });
type StoredItem = z.infer<typeof storedItem>;

/** Some tests move a clock, and windows end at midnight. */
const toleranceSeconds = 2 * daySeconds;

/** What contradicts the list of everything that is stored: an item without a kind, or one that stays longer than its kind. */
export const contradiction = (
  item: StoredItem,
  { items }: Pick<StoredKinds, "items">,
  now = Date.now(),
): string | undefined => {
  const kind = kindOfItem(item, items);
  if (!kind) return `No kind of shared/wiring/stored-kinds.ts describes the item ${item.PK} ${item.SK}.`;
  const { lasts } = kind;
  if (!("seconds" in lasts) || item.expires_at === undefined) return undefined;
  return item.expires_at > now / 1_000 + lasts.seconds + toleranceSeconds
    ? `The item ${item.PK} ${item.SK} expires later than its kind ${kind.id} says.`
    : undefined;
};

/** Everything that a local service has stored and that contradicts the list. */
export const findContradictions = async (dataDirectory: string): Promise<string[]> => {
  const running = await findRunningService(dataDirectory);
  if (!running) throw new Error("The service under test does not run on this machine.");
  const connection = (service: string) => ({
    endpoint: running.sdkVariables[`AWS_ENDPOINT_URL_${service}`] ?? "",
    region: localRegion,
    credentials: localCredentials,
  });
  const found = new Set<string>();
  const client = DynamoDBDocumentClient.from(new DynamoDBClient(connection("DYNAMODB")));
  for await (const { Items = [] } of paginateScan({ client }, { TableName: running.tableName })) {
    for (const item of Items) {
      const problem = contradiction(storedItem.parse(item), storedKinds);
      if (problem) found.add(problem);
    }
  }
  const s3 = new S3Client({ ...connection("S3"), forcePathStyle: true });
  for await (const page of paginateListObjectsV2({ client: s3 }, { Bucket: running.bucketName })) {
    for (const { Key = "" } of page.Contents ?? []) {
      if (!kindOfObject(Key, storedKinds.objects)) found.add(`No kind describes the object ${Key}.`);
    }
  }
  client.destroy();
  s3.destroy();
  return [...found];
};
