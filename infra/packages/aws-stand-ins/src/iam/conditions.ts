import { compilePattern } from "./patterns.ts";

/** The values of a request's condition keys, such as `dynamodb:LeadingKeys`. A key without a value is absent. */
export type RequestContext = Readonly<Record<string, readonly string[]>>;

/** A test of the whole context. */
export type Condition = (context: RequestContext) => boolean;

/** The condition keys that are evaluated, and whether a request may have several values of them. */
const knownKeys: Readonly<Record<string, "one" | "several" | undefined>> = {
  "dynamodb:LeadingKeys": "several",
  "s3:prefix": "one",
  "ses:FromAddress": "one",
};

interface Comparison {
  /** Whether a value of the request matches a value of the policy. */
  readonly compile: (wanted: string) => (value: string) => boolean;
  readonly isNegated?: true;
}

const equal = (wanted: string) => (value: string) => value === wanted;

const comparisons: Readonly<Record<string, Comparison | undefined>> = {
  StringEquals: { compile: equal },
  StringNotEquals: { compile: equal, isNegated: true },
  StringLike: { compile: compilePattern },
  StringNotLike: { compile: compilePattern, isNegated: true },
};

/** `ForAllValues:StringLikeIfExists` in its three parts. */
const operatorForm = /^(?:(?<quantifier>ForAllValues|ForAnyValue):)?(?<name>\w+?)(?<ifExists>IfExists)?$/;

const compileNull = (key: string, [wanted, ...others]: readonly string[]): Condition => {
  if (others.length > 0 || (wanted !== "true" && wanted !== "false")) {
    throw new Error(`the operator Null takes "true" or "false" for ${key}`);
  }
  return (context) => (context[key] === undefined) === (wanted === "true");
};

const compileComparison = (operator: string, key: string, wanted: readonly string[]): Condition => {
  const { quantifier, name = "", ifExists } = operatorForm.exec(operator)?.groups ?? {};
  const comparison = comparisons[name];
  if (comparison === undefined) throw new Error(`the condition operator ${operator} is not evaluated here`);
  if (knownKeys[key] === "several" && quantifier === undefined) {
    throw new Error(`the condition key ${key} needs ForAllValues or ForAnyValue`);
  }
  const tests = wanted.map((value) => comparison.compile(value));
  const isNegated = comparison.isNegated === true;
  const holds = (value: string): boolean => tests.some((test) => test(value)) !== isNegated;
  const whenAbsent = ifExists !== undefined || quantifier === "ForAllValues" || (isNegated && !quantifier);
  return (context) => {
    const values = context[key];
    if (values === undefined) return whenAbsent;
    return quantifier === "ForAnyValue" ? values.some(holds) : values.every(holds);
  };
};

/**
 * One condition of a statement: an operator, a key, and the values of the policy.
 *
 * @throws Error when the operator or the key is not known: to ignore it would allow too much or too little.
 */
export const compileCondition = (operator: string, key: string, wanted: readonly string[]): Condition => {
  if (knownKeys[key] === undefined) throw new Error(`the condition key ${key} is not evaluated here`);
  return operator === "Null" ? compileNull(key, wanted) : compileComparison(operator, key, wanted);
};
