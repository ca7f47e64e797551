// A server in a process of its own, for tests that kill it: node dynamodb-process.ts <data directory>
import { startDynamoDb } from "../src/dynamodb/dynamodb-server.ts";

const [, , dataDirectory = ""] = process.argv;
const server = await startDynamoDb({ dataDirectory });
process.stdout.write(`${server.endpoint}\n`);

// The pipe ends with the test that started this process, so that none is left behind by a test that fails.
process.stdin.on("end", () => process.exit()).resume();
