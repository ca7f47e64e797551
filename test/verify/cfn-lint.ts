import * as z from "zod";
import { compareFindings, type Part } from "./run-parts.ts";
import { templateSources, withTemplates } from "./templates.ts";
import { pinnedVersion, pythonTool, runToEnd } from "./tools.ts";

/** Where the service may be deployed: an opt-in region in Africa, Europe, and the one in which certificates of CloudFront are. */
const regions = ["af-south-1", "eu-west-1", "us-east-1"];

/** Whether a stack is always in us-east-1. */
const isGlobal = (file: string): boolean => /-(?:Budget|Edge)\./.test(file);

const matches = z.array(
  z.object({
    Rule: z.object({ Id: z.string() }),
    Message: z.string(),
    Location: z.object({ Path: z.array(z.unknown()).nullable() }),
  }),
);

/** What cfn-lint reports and stays, with the reason. */
const explained = {
  W3005:
    "CDK names the role of a function in DependsOn although a reference does the same; it changes nothing.",
};

/** A second set of rules, which knows what each region has. */
export const cfnLintPart: Part = {
  name: `cfn-lint: the templates in ${regions.join(", ")}`,
  paths: [...templateSources, "test/verify/cfn-lint.ts"],
  run: async () => {
    const program = await pythonTool("cfn-lint");
    return withTemplates(async (stages) => {
      const files = stages.flatMap(({ stacks }) => stacks.map(({ file }) => file));
      const lint = async (inRegions: readonly string[], some: readonly string[]) => {
        const options = ["--format", "json", "--regions", ...inRegions];
        const { output } = await runToEnd(program, [...options, "--", ...some]);
        return matches.parse(JSON.parse(output || "[]"));
      };
      const found = [
        ...(await lint(
          regions,
          files.filter((file) => !isGlobal(file)),
        )),
        ...(await lint(["us-east-1"], files.filter(isGlobal))),
      ];
      const findings = found.map(({ Rule, Message, Location }) =>
        Rule.Id in explained ? Rule.Id : `${Rule.Id} ${Location.Path?.join("/") ?? ""}: ${Message}`,
      );
      const said = `${await pinnedVersion("cfn-lint")}: ${files.length} templates`;
      return compareFindings(findings, explained, said);
    });
  },
};
