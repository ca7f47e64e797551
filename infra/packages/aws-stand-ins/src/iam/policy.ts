import * as z from "zod";
import { compileCondition, type RequestContext } from "./conditions.ts";
import { compilePattern } from "./patterns.ts";

const texts = z.union([z.string(), z.array(z.string())]).transform((value) => [value].flat());

const values = z
  .union([z.string(), z.boolean(), z.array(z.union([z.string(), z.boolean()]))])
  .transform((value) => [value].flat().map(String));

// Strict: what is not listed, such as NotAction, would change who may do what.
const statementSchema = z.strictObject({
  Sid: z.string().optional(),
  Effect: z.enum(["Allow", "Deny"]),
  Action: texts,
  Resource: texts,
  Condition: z.record(z.string(), z.record(z.string(), values)).default({}),
});

const documentSchema = z.strictObject({
  Version: z.literal("2012-10-17"),
  Statement: z.preprocess((statement) => [statement].flat(), z.array(statementSchema)),
});

/** One action on one resource, as a service would have it judged. */
export interface AccessRequest {
  /** Such as `s3:GetObject`. */
  readonly action: string;
  /** The ARN; `*` for actions that have no resource. */
  readonly resource: string;
  readonly context?: RequestContext;
}

/** A statement as it is written, with lists everywhere. */
export type StatementSource = z.output<typeof statementSchema>;

/** A statement of a policy, ready to judge requests. */
export interface Statement {
  readonly source: StatementSource;
  applies(request: AccessRequest): boolean;
}

const compileStatement = (source: StatementSource): Statement => {
  const actions = source.Action.map((action) => compilePattern(action, "i"));
  const resources = source.Resource.map((resource) => compilePattern(resource));
  const conditions = Object.entries(source.Condition).flatMap(([operator, keys]) =>
    Object.entries(keys).map(([key, wanted]) => compileCondition(operator, key, wanted)),
  );
  return {
    source,
    applies: ({ action, resource, context = {} }) =>
      actions.some((matches) => matches(action)) &&
      resources.some((matches) => matches(resource)) &&
      conditions.every((holds) => holds(context)),
  };
};

/**
 * The statements of a policy document, references resolved.
 *
 * @throws Error that names an element, operator or condition key that is not evaluated here.
 */
export const compilePolicy = (document: unknown): Statement[] => {
  const parsed = documentSchema.safeParse(document);
  if (!parsed.success) throw new Error(`the policy is not evaluated here: ${z.prettifyError(parsed.error)}`);
  return parsed.data.Statement.map(compileStatement);
};

export type Decision = "allowed" | "explicitly denied" | "implicitly denied";

/** The decision of identity-based policies: a statement that denies wins, and what no statement allows is denied. */
export const decide = (statements: readonly Statement[], request: AccessRequest): Decision => {
  const applying = statements.filter((statement) => statement.applies(request));
  if (applying.some(({ source }) => source.Effect === "Deny")) return "explicitly denied";
  return applying.length > 0 ? "allowed" : "implicitly denied";
};
