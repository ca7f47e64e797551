/**
 * What the bindings of a function's environment promise to refuse when they are compiled. `npm run check` compiles this file: a
 * line below `@ts-expect-error` that compiles is an error itself. Nothing runs it.
 */
import type { TableV2 } from "aws-cdk-lib/aws-dynamodb";
import type { Bucket } from "aws-cdk-lib/aws-s3";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { expectTypeOf } from "vitest";
import { bucketBinding, plainBinding, queueBinding, tableBinding } from "../../infra/constructs/bindings.ts";
import type { OwnBindings } from "../../infra/stacks/function-group.ts";
import { defineFunction } from "../../shared/http/function-definition.ts";
import { anyTextVariable } from "../../shared/platform/config/variables.ts";

const definition = defineFunction({
  name: "typed",
  description: "Typed",
  operations: [],
  environment: {
    TABLE_NAME: anyTextVariable,
    STAGE: anyTextVariable,
    CHAT_BASE_URL: anyTextVariable,
    TOKEN_SECRET_ID: anyTextVariable,
  },
  memoryMegabytes: 128,
  timeoutSeconds: 10,
  transfer: "buffered",
});

type Bindings = OwnBindings<(typeof definition)["environment"]>;

const [TABLE_NAME, STAGE] = [plainBinding("table"), plainBinding("stage")];

// The others are a setting of the stage and a secret, which every function that declares them gets.
expectTypeOf<keyof Bindings>().toEqualTypeOf<"TABLE_NAME" | "STAGE">();
// The sender of mails is a setting that needs a permission.
expectTypeOf<keyof OwnBindings<{ MAIL_FROM: typeof anyTextVariable }>>().toEqualTypeOf<"MAIL_FROM">();

/** A function gets a binding for each of its own variables, and for no other. */
export const environments: readonly Bindings[] = [
  { TABLE_NAME, STAGE },
  // @ts-expect-error: a variable is missing.
  { TABLE_NAME },
  // @ts-expect-error: the function does not declare this variable.
  { TABLE_NAME, STAGE, REGION: plainBinding("region") },
  // @ts-expect-error: a value has no permission.
  { TABLE_NAME: "table", STAGE },
];

/** A function without variables gets no binding. */
export const empty: readonly OwnBindings<Record<never, never>>[] = [
  {},
  // @ts-expect-error: the function declares no variable.
  { TABLE_NAME },
];

/** A binding names the access that goes with its value. */
export const accesses = (table: TableV2, queue: Queue, scope: Construct, bucket: Bucket) => [
  // @ts-expect-error: no access is named.
  tableBinding(table),
  // @ts-expect-error: there is no such access.
  tableBinding(table, "everything"),
  // @ts-expect-error: no access is named.
  queueBinding(queue),
  // @ts-expect-error: there is no such access.
  queueBinding(queue, "everything"),
  // @ts-expect-error: no folder is named.
  bucketBinding(scope, bucket),
  // @ts-expect-error: there is no such access.
  bucketBinding(scope, bucket, { folder: "uploads/", access: "everything" }),
];
