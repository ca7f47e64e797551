import { randomUUID } from "node:crypto";
import { DynamoDBClient, GetItemCommand } from "@aws-sdk/client-dynamodb";
import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from "aws-lambda";

const table = new DynamoDBClient();
const queue = new SQSClient();

const respond = (statusCode: number, body: object): APIGatewayProxyResult => ({
  statusCode,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});

/** Takes a note on its way to the table, or reads one. */
export const handler = async (event: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> => {
  if (event.httpMethod === "POST") {
    const id = randomUUID();
    const MessageBody = JSON.stringify({ id, text: event.body });
    await queue.send(new SendMessageCommand({ QueueUrl: process.env["QUEUE_URL"], MessageBody }));
    return respond(202, { id });
  }
  const Key = { id: { S: event.queryStringParameters?.["id"] ?? "" } };
  const { Item } = await table.send(new GetItemCommand({ TableName: process.env["TABLE_NAME"], Key }));
  return Item ? respond(200, { text: Item["text"]?.S }) : respond(404, { message: "There is no such note." });
};
