import type { Part } from "./run-parts.ts";
import { runTestsElsewhere } from "./tests-elsewhere.ts";
import { dynamoDbLocal, startServer } from "./tools.ts";

/** Tests of the table that are quick on a slow server too. */
export const tableTests = [
  "admission",
  "api-keys",
  "enumeration",
  "erase-account",
  "limits",
  "limits-passwords",
  "mailed-links",
  "round-trips",
  "saved-transcriptions",
  "uploads",
] as const;

/** What talks to the table, and the tests that show it. */
export const tablePaths: readonly string[] = [
  "shared/accounts",
  "shared/platform/storage",
  "shared/recordings",
  "infra/packages/aws-stand-ins/src/dynamodb",
];

/** What AWS's own implementation makes of our expressions: it has the parser of the service. */
export const dynamoDbLocalPart: Part = {
  name: "DynamoDB Local: the tests of the table",
  paths: [...tablePaths, "shared/messaging", "test/verify/dynamodb-local.ts"],
  run: async () => {
    const folder = await dynamoDbLocal();
    const server = await startServer(
      "java",
      (port) => [
        ...["-Djava.library.path=DynamoDBLocal_lib", "-jar", "DynamoDBLocal.jar"],
        ...["-inMemory", "-sharedDb", "-disableTelemetry", "-port", String(port)],
      ],
      folder,
    );
    try {
      const version = /Version:\s*(\S+)/.exec(server.output())?.[1] ?? "of an unknown version";
      return await runTestsElsewhere({
        project: "integration",
        files: [
          ...tableTests,
          "streams-at-once",
          "usage",
          "faults-aws",
          "faults-mail",
          "messaging/exactly-once",
        ],
        variables: { VERIFY_ENDPOINT_DYNAMODB: server.endpoint },
        explained: {},
        said: `DynamoDB Local ${version}`,
      });
    } finally {
      await server.stop();
    }
  },
};
