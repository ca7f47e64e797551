import { testCutLog, testKilledServer } from "./dynamodb-crash-cases.ts";

testKilledServer(10);
testCutLog(40);
