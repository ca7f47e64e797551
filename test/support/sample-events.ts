import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { APIGatewayProxyEvent } from "aws-lambda";
import * as z from "zod";
import { functionDefinitions } from "../../functions/manifest.ts";
import { exportRequest } from "../../shared/accounts/export/export-queue.ts";
import { mailRequest } from "../../shared/accounts/mail/mail-request.ts";
import type { Operation } from "../../shared/http/operation.ts";
import { inboundMessage } from "../../shared/messaging/inbound-message.ts";
import { callbackRequest } from "../../shared/recordings/callbacks/callback-queue.ts";
import { jobMessage } from "../../shared/recordings/jobs/job-queue.ts";

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

const sampleUser = z.object({ userId: z.literal(999_999_999) });
const nothing = /^null$/;
const batchDone = /^{"batchItemFailures":\[\]}$/;

/**
 * Events that come to no route of an operation, by their path below `events/`: the result of the function, and what the body of
 * a message in a queue must be. A worker may be done with a message that it cannot read.
 */
export const otherEvents: Readonly<
  Record<string, { readonly result: RegExp; readonly message?: z.ZodType }>
> = {
  "authorizer/key": { result: /"Effect":"Allow".*"userId":"999999999"/ },
  "callback/job-completed": { result: batchDone, message: callbackRequest.and(sampleUser) },
  "canary/every-five-minutes": { result: nothing },
  "console/log-in": { result: /"statusCode":200[\s\S]*<title>Log in/ },
  "erasure/daily": { result: nothing },
  "export/prepare": { result: batchDone, message: exportRequest.and(sampleUser) },
  "job-worker/plan": { result: batchDone, message: jobMessage.and(sampleUser) },
  "mail/verify-email": { result: batchDone, message: mailRequest.and(sampleUser) },
  "mail-feedback/bounce": { result: nothing },
  "mail-feedback/complaint": { result: nothing },
  "mail-feedback/delivery": { result: nothing },
  "operators/accounts": { result: /"statusCode":303[\s\S]*\/console\/log-in\?next=%2Fconsole%2Fadmin/ },
  "request-log/lines": { result: nothing },
  "site/documentation": { result: /"statusCode":200[\s\S]*<title>Docs/ },
  "sunset/daily": { result: nothing },
  "messaging/text": { result: batchDone, message: inboundMessage },
};

/** Those events with the function that gets each, and their text. */
export const otherSamples = Object.entries(otherEvents).map(([name, expected]) => {
  const path = `events/${name}.json`;
  const text = readFileSync(join(import.meta.dirname, "../..", path), "utf8");
  return { feature: name.split("/")[0] ?? "", path, text, ...expected };
});

/** The event of a sample; a sample that is missing is a failure of its own. */
export const parseEvent = (text: string | undefined): APIGatewayProxyEvent => {
  if (text === undefined) throw new Error("There is no sample event.");
  const event: APIGatewayProxyEvent = JSON.parse(text);
  return event;
};
