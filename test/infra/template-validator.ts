import { createRequire } from "node:module";
import * as z from "zod";

const report = z.object({
  diagnostics: z.array(
    z.object({
      severity: z.string(),
      ruleId: z.string(),
      message: z.string(),
      entity: z.object({ logicalId: z.string().optional() }).optional(),
    }),
  ),
});

/** As much of AWS's package as is used here; CDK brings it along and exports nothing of it. */
interface Engine {
  validateTemplate(template: object): unknown;
  free(): void;
}
const isFunction = (value: unknown) => typeof value === "function";
const validatePackage = z.object({
  CompositeEngine: z.custom<new () => Engine>(isFunction),
  TemplateContent: z.custom<new (text: string) => object>(isFunction),
});
const requireOfCdk = createRequire(createRequire(import.meta.url).resolve("aws-cdk-lib"));
const { CompositeEngine, TemplateContent } = validatePackage.parse(
  requireOfCdk("@aws/cloudformation-validate"),
);

/** What is reported and stays, with the reason. */
export const explained: Readonly<Record<string, string>> = {
  W3005:
    "CDK names the role of a function in DependsOn although a reference does the same; it changes nothing.",
  W9002: "A certificate is made outside of the stacks, so its ARN is a setting.",
  W9013: "The same ARN: certificates may belong to another account than the stage.",
};

/** AWS's own check of templates. */
export interface TemplateValidator {
  /** What could keep a deployment from succeeding or is likely a mistake; advice on style is left out. */
  findingsIn(template: string): string[];
  free(): void;
}

export const createTemplateValidator = (): TemplateValidator => {
  const engine = new CompositeEngine();
  return {
    findingsIn: (template) =>
      report
        .parse(engine.validateTemplate(new TemplateContent(template)))
        .diagnostics.filter(({ severity }) => ["FATAL", "ERROR", "WARN"].includes(severity))
        .map(({ ruleId, message, entity }) => `${ruleId} ${entity?.logicalId ?? "template"}: ${message}`),
    free: () => engine.free(),
  };
};

/** The findings that are not explained. */
export const unexplained = (findings: readonly string[]): string[] =>
  findings.filter((finding) => !(finding.slice(0, finding.indexOf(" ")) in explained));
