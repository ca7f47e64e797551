import { defineFunction, type FunctionDefinition } from "../../shared/http/function-definition.ts";
import {
  limitsEnvironment,
  mailQueueEnvironment,
  tableEnvironment,
} from "../../shared/platform/config/environment.ts";

export const requestLogFunction = defineFunction({
  name: "request-log",
  description:
    "Stores the last log lines of requests for the accounts that sent them, and mails those whose month is nearly used",
  operations: [],
  environment: {
    ...tableEnvironment,
    ...mailQueueEnvironment,
    ...limitsEnvironment,
  },
  memoryMegabytes: 256,
  timeoutSeconds: 60,
  transfer: "buffered",
  isTraced: false,
});

/** Whether accounts call a function, so that their requests are logged. Of the console's pages, nothing is. */
export const hasRequestsOfAccounts = ({ operations }: Pick<FunctionDefinition, "operations">): boolean =>
  operations.some(({ auth, authorizer }) => auth === "user" || authorizer === true);
