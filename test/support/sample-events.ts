import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { APIGatewayProxyEvent } from "aws-lambda";
import { functionDefinitions } from "../../functions/manifest.ts";
import type { Operation } from "../../shared/http/operation.ts";

const kebabCase = (camelCase: string): string =>
  camelCase.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Where an operation's sample event is, from the repository's folder. */
export const eventPath = (feature: string, operation: Operation): string =>
  `events/${feature}/${kebabCase(operation.id)}.json`;

/** Every operation with the function that serves it and its sample event, as text. */
export const sampleEvents = functionDefinitions.flatMap(({ name: feature, operations }) =>
  operations.map((operation: Operation) => {
    const path = eventPath(feature, operation);
    const file = join(import.meta.dirname, "../..", path);
    return { feature, operation, path, text: existsSync(file) ? readFileSync(file, "utf8") : undefined };
  }),
);

/** What comes to no route: reports of SES about mails, and a schedule. */
export const otherEvents = ["mail-feedback/bounce", "mail-feedback/complaint", "erasure/daily"].map(
  (name) => `events/${name}.json`,
);

/** The event of a sample; a sample that is missing is a failure of its own. */
export const parseEvent = (text: string | undefined): APIGatewayProxyEvent => {
  if (text === undefined) throw new Error("There is no sample event.");
  const event: APIGatewayProxyEvent = JSON.parse(text);
  return event;
};
