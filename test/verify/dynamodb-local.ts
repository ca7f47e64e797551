import type { Part } from "./run-parts.ts";
import { runTestsElsewhere } from "./tests-elsewhere.ts";
import { dynamoDbLocal, startServer } from "./tools.ts";

/** Tests of the table that are quick on a slow server too. */
export const tableTests = [
  "admission.test.ts",
  "api-keys.test.ts",
  "enumeration.test.ts",
  "erase-account.test.ts",
  "limits.test.ts",
  "limits-passwords.test.ts",
  "mailed-links.test.ts",
  "round-trips.test.ts",
  "saved-transcriptions.test.ts",
  "uploads.test.ts",
] as const;

/** What AWS's own implementation makes of our expressions: it has the parser of the service. */
export const dynamoDbLocalPart: Part = {
  name: "DynamoDB Local: the tests of the table",
  run: async () => {
    const folder = await dynamoDbLocal();
    const server = await startServer(
      "java",
      (port) => [
        "-Djava.library.path=DynamoDBLocal_lib",
        "-jar",
        "DynamoDBLocal.jar",
        "-inMemory",
        "-sharedDb",
        "-disableTelemetry",
        "-port",
        String(port),
      ],
      folder,
    );
    try {
      const version = /Version:\s*(\S+)/.exec(server.output())?.[1] ?? "of an unknown version";
      return await runTestsElsewhere({
        project: "integration",
        files: [
          ...tableTests,
          "streams-at-once.test.ts",
          "usage.test.ts",
          "faults-aws.test.ts",
          "faults-mail.test.ts",
          "messaging/exactly-once.test.ts",
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
