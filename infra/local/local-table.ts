import { join } from "node:path";
import { DynamoDBClient, ListTablesCommand } from "@aws-sdk/client-dynamodb";
import { localCredentials, localRegion, startDynamoDb } from "@language-ai/aws-stand-ins";
import { findRunningService } from "./running-service.ts";
import { readLocalSettings } from "./settings.ts";

const onlyTable = async (endpoint: string, dataDirectory: string): Promise<string> => {
  const client = new DynamoDBClient({ endpoint, region: localRegion, credentials: localCredentials });
  const { TableNames } = await client.send(new ListTablesCommand({}));
  client.destroy();
  const [name] = TableNames ?? [];
  if (!name) throw new Error(`There is no data in ${dataDirectory} yet; start the service once.`);
  return name;
};

/**
 * Runs `work` with the table and the bucket of audio files of the running local service.
 *
 * @throws Error when none is running.
 */
export const withLocalStores = async <Result>(
  work: (tableName: string, bucketName: string) => Promise<Result>,
): Promise<Result> => {
  const { DATA_DIR: dataDirectory } = readLocalSettings(process.env);
  const running = await findRunningService(dataDirectory);
  if (!running?.bucketName)
    throw new Error("Start the service first; its audio files are only available while it runs.");
  Object.assign(process.env, running.sdkVariables);
  return work(running.tableName, running.bucketName);
};

/**
 * Runs `work` with the table and the queue of mails of the running local service.
 *
 * @throws Error when none is running.
 */
export const withLocalMails = async <Result>(
  work: (tableName: string, mailQueueUrl: string) => Promise<Result>,
): Promise<Result> => {
  const { DATA_DIR: dataDirectory } = readLocalSettings(process.env);
  const running = await findRunningService(dataDirectory);
  if (!running?.mailQueueUrl) throw new Error("Start the service first; it sends the mail.");
  Object.assign(process.env, running.sdkVariables);
  return work(running.tableName, running.mailQueueUrl);
};

/**
 * Runs `work` with the local service's table: through the service when it is running, else on its data directly. The AWS SDK
 * finds the table with this process's environment.
 *
 * @throws Error when there is no table yet.
 */
export const withLocalTable = async <Result>(
  work: (tableName: string) => Promise<Result>,
): Promise<Result> => {
  const { DATA_DIR: dataDirectory } = readLocalSettings(process.env);
  const running = await findRunningService(dataDirectory);
  if (running) {
    Object.assign(process.env, running.sdkVariables);
    return work(running.tableName);
  }
  const server = await startDynamoDb({ dataDirectory: join(dataDirectory, "dynamodb") });
  try {
    Object.assign(process.env, {
      AWS_REGION: localRegion,
      AWS_ACCESS_KEY_ID: localCredentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: localCredentials.secretAccessKey,
      AWS_ENDPOINT_URL_DYNAMODB: server.endpoint,
    });
    return await work(await onlyTable(server.endpoint, dataDirectory));
  } finally {
    await server.close();
  }
};
