import {
  CreateTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  ResourceInUseException,
  ResourceNotFoundException,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from "@aws-sdk/client-dynamodb";
import * as z from "zod";

const keySchema = z.array(z.object({ AttributeName: z.string(), KeyType: z.enum(["HASH", "RANGE"]) }));

const indexes = z.array(
  z.object({
    IndexName: z.string(),
    KeySchema: keySchema,
    Projection: z.object({
      ProjectionType: z.enum(["ALL", "KEYS_ONLY", "INCLUDE"]),
      NonKeyAttributes: z.array(z.string()).optional(),
    }),
  }),
);

/** The properties that matter on one machine; the two resource types have them in common. */
const tableProperties = z.object({
  AttributeDefinitions: z.array(
    z.object({ AttributeName: z.string(), AttributeType: z.enum(["S", "N", "B"]) }),
  ),
  KeySchema: keySchema,
  GlobalSecondaryIndexes: indexes.optional(),
  LocalSecondaryIndexes: indexes.optional(),
  TimeToLiveSpecification: z
    .object({ AttributeName: z.string().optional(), Enabled: z.boolean() })
    .optional(),
});

/** In seconds; the waiter's own defaults are for a cloud, where it waits twenty seconds between attempts. */
const waiting = { maxWaitTime: 30, minDelay: 0.02, maxDelay: 1 };

/**
 * Creates a table when it is missing, with its keys, indexes and time to live, and waits until it is ready. It is billed
 * on demand, because capacity means nothing on one machine. A table that exists is left alone.
 *
 * @param properties - The `Properties` of an AWS::DynamoDB::GlobalTable or AWS::DynamoDB::Table in a CloudFormation
 *   template.
 * @throws {Error} one sentence when `properties` describes no table.
 */
export const ensureTable = async (
  client: DynamoDBClient,
  tableName: string,
  properties: unknown,
): Promise<void> => {
  const { TimeToLiveSpecification, ...definition } = parseProperties(tableName, properties);
  const creation = new CreateTableCommand({
    TableName: tableName,
    BillingMode: "PAY_PER_REQUEST",
    ...definition,
  });
  const isNew = !(await exists(client, tableName)) && (await create(client, creation));
  await waitUntilTableExists({ client, ...waiting }, { TableName: tableName });
  if (isNew && TimeToLiveSpecification?.Enabled) {
    const { AttributeName, Enabled } = TimeToLiveSpecification;
    const command = { TableName: tableName, TimeToLiveSpecification: { AttributeName, Enabled } };
    await client.send(new UpdateTimeToLiveCommand(command));
  }
};

const parseProperties = (tableName: string, properties: unknown) => {
  const parsed = tableProperties.safeParse(properties);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Error(
    `The CloudFormation properties of table ${tableName} cannot be used: ${issue?.path.join(".")}: ${issue?.message}.`,
  );
};

const exists = async (client: DynamoDBClient, tableName: string): Promise<boolean> => {
  try {
    await client.send(new DescribeTableCommand({ TableName: tableName }));
    return true;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return false;
    throw error;
  }
};

/** Whether this call created the table, and not another one at the same time. */
const create = async (client: DynamoDBClient, creation: CreateTableCommand): Promise<boolean> => {
  try {
    await client.send(creation);
    return true;
  } catch (error) {
    if (error instanceof ResourceInUseException) return false;
    throw error;
  }
};
