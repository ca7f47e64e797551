import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";

/** The service's one table and the client that talks to it. */
export interface Table {
  readonly client: DynamoDBDocumentClient;
  readonly name: string;
}

/** Opens the table. A call takes at most about 10 seconds, retries included. */
export const openTable = (name: string): Table => ({
  name,
  client: DynamoDBDocumentClient.from(
    new DynamoDBClient({
      maxAttempts: 3,
      requestHandler: { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true },
    }),
    { marshallOptions: { removeUndefinedValues: true } },
  ),
});
