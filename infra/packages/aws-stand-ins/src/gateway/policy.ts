import * as z from "zod";

const oneOrMore = z.union([z.string().transform((text) => [text]), z.array(z.string())]);

// Strict: a policy that says more than this (a Condition, NotResource) would be taken for something it is not.
const statementSchema = z.strictObject({
  Sid: z.string().optional(),
  Effect: z.enum(["Allow", "Deny"]),
  Action: oneOrMore,
  Resource: oneOrMore,
});

export const policyDocumentSchema = z.object({
  Statement: z.union([statementSchema.transform((statement) => [statement]), z.array(statementSchema)]),
});

export type PolicyDocument = z.output<typeof policyDocumentSchema>;

export type Verdict = "allow" | "explicit-deny" | "implicit-deny";

const INVOKE = "execute-api:Invoke";

/** Matches as IAM does: `*` stands for any characters, slashes included, `?` for one. */
const matches = (pattern: string, text: string): boolean => {
  if (pattern === text || pattern === "*") return true;
  const expression = pattern
    .replace(/[.+^$(){}|[\]\\]/g, "\\$&")
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  return new RegExp(`^${expression}$`, "s").test(text);
};

/** Decides whether a policy lets a method be called. A denial outweighs any permission; silence denies. */
export const evaluatePolicy = ({ Statement }: PolicyDocument, methodArn: string): Verdict => {
  const effects = Statement.filter(
    ({ Action, Resource }) =>
      // Actions are matched without case, resources with it.
      Action.some((pattern) => matches(pattern.toLowerCase(), INVOKE.toLowerCase())) &&
      Resource.some((pattern) => matches(pattern, methodArn)),
  ).map(({ Effect }) => Effect);
  if (effects.includes("Deny")) return "explicit-deny";
  return effects.includes("Allow") ? "allow" : "implicit-deny";
};
