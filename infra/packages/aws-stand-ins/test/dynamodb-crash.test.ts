import { testCutLog, testKilledServer } from "./dynamodb-crash-cases.ts";

// `dynamodb-crash.endurance.test.ts` does the same more often.
testKilledServer(1);
testCutLog(6);
