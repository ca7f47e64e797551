import { DynamoDBClient, PutItemCommand } from "@aws-sdk/client-dynamodb";
import type { SQSBatchResponse, SQSEvent } from "aws-lambda";

const table = new DynamoDBClient();

/** Writes the notes of a batch into the table. */
export const handler = async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => {
  for (const { body } of Records) {
    const { id, text } = JSON.parse(body);
    const Item = { id: { S: id }, text: { S: text } };
    await table.send(new PutItemCommand({ TableName: process.env["TABLE_NAME"], Item }));
  }
  return { batchItemFailures: [] };
};
