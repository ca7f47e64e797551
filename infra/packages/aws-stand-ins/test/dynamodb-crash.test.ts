import { testCutLog, testKilledServer } from "./dynamodb-crash-cases.ts";

// `dynamodb-crash.nightly.test.ts` does the same more often.
testKilledServer(2);
testCutLog(10);
