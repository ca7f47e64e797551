import { Logger } from "@aws-lambda-powertools/logger";

/** The structured log. Names of events, ids, codes and figures only: never texts, tokens or mail addresses. */
export const logger = new Logger({ serviceName: "language-ai-service" });
