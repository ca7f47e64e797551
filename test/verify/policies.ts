import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { withTemporaryDirectory } from "../infra/synthesized-service.ts";
import { compareFindings, type Part } from "./run-parts.ts";
import { type StageTemplates, templateSources, type WholeTemplate, withTemplates } from "./templates.ts";
import { pinnedVersion, pythonTool, runToEnd } from "./tools.ts";

const region = "us-east-1:111122223333";

/** What resources of a type are called, so that a policy's actions can be compared with them. */
const arnOfType: Readonly<Record<string, string>> = {
  "AWS::DynamoDB::GlobalTable": `arn:aws:dynamodb:${region}:table/example`,
  "AWS::S3::Bucket": "arn:aws:s3:::example",
  "AWS::SQS::Queue": `arn:aws:sqs:${region}:example`,
  "AWS::SecretsManager::Secret": `arn:aws:secretsmanager:${region}:secret:example`,
  "AWS::Logs::LogGroup": `arn:aws:logs:${region}:log-group:example:*`,
  "AWS::Lambda::Function": `arn:aws:lambda:${region}:function:example`,
  "AWS::Lambda::Alias": `arn:aws:lambda:${region}:function:example:live`,
  "AWS::Lambda::Version": `arn:aws:lambda:${region}:function:example:1`,
};

const pseudoParameters: Readonly<Record<string, string>> = {
  "AWS::Partition": "aws",
  "AWS::Region": "us-east-1",
  "AWS::AccountId": "111122223333",
  "AWS::URLSuffix": "amazonaws.com",
};

const exported = z.object({ Value: z.unknown(), Export: z.object({ Name: z.string() }) });
const outputs = z.record(z.string(), z.unknown());
const joined = z.tuple([z.string(), z.array(z.unknown())]);

/** What a stage's resources and exports are called, as far as policies name them. */
const namesOf = ({ stacks }: StageTemplates) => {
  const resources = new Map<string, string>();
  const values = new Map<string, unknown>();
  for (const { template } of stacks) {
    for (const [id, { Type }] of Object.entries(template.Resources)) resources.set(id, arnOfType[Type] ?? id);
    for (const output of Object.values(outputs.parse(template["Outputs"] ?? {}))) {
      const found = exported.safeParse(output);
      if (found.success) values.set(found.data.Export.Name, found.data.Value);
    }
  }
  const plain = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(plain);
    if (typeof value !== "object" || value === null) return value;
    const [[name, argument] = ["", undefined], ...others] = Object.entries(value);
    if (others.length === 0) {
      if (name === "Ref")
        return pseudoParameters[String(argument)] ?? resources.get(String(argument)) ?? argument;
      if (name === "Fn::GetAtt" && Array.isArray(argument)) return resources.get(String(argument[0])) ?? "";
      if (name === "Fn::ImportValue") return plain(values.get(String(argument)));
      if (name === "Fn::Join") {
        const [separator, pieces] = joined.parse(argument);
        return pieces.map(plain).join(separator);
      }
    }
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, plain(entry)]));
  };
  return plain;
};

const document = z.object({ PolicyDocument: z.unknown() });
const role = z.object({ Policies: z.array(document).default([]) });

const policiesOf = (template: WholeTemplate): (readonly [string, unknown])[] =>
  Object.entries(template.Resources).flatMap(([id, { Type, Properties }]) => {
    if (Type === "AWS::IAM::Policy") return [[id, document.parse(Properties).PolicyDocument] as const];
    if (Type !== "AWS::IAM::Role") return [];
    return role
      .parse(Properties)
      .Policies.map(({ PolicyDocument }, index) => [`${id}-${index}`, PolicyDocument] as const);
  });

const finding = z.object({
  issue: z.string(),
  detail: z.unknown(),
  location: z.looseObject({ filepath: z.string().nullish() }).nullish(),
});

/** Shows that policies are really read. */
const canary = {
  Version: "2012-10-17",
  Statement: [{ Effect: "Allow", Action: "s3:GetObjekt", Resource: "arn:aws:s3:::example/*" }],
};

const hookReport = '[{"action":"codedeploy:PutLifecycleEventHookExecutionStatus","required_format":"*"}]';
const hookReason =
  "AWS's guide to hooks limits it to deployment groups, which parliament's list does not have.";

/** What parliament reports and stays, with the reason. */
const explained = {
  [`RESOURCE_MISMATCH ReleaseCheckRole04E457AD-0.json ${hookReport}`]: hookReason,
  [`RESOURCE_MISMATCH EntryReleaseCheckRoleB51C1BBF-0.json ${hookReport}`]: hookReason,
  'UNKNOWN_ACTION canary.json "Unknown action s3:GetObjekt"': "It was put there to be found.",
};

/** A second reader of the policies: actions, resources and condition keys that exist and go together. */
export const policiesPart: Part = {
  name: "parliament: the policies of the functions",
  paths: [...templateSources, "test/verify/policies.ts"],
  run: async () => {
    const program = await pythonTool("parliament");
    return withTemplates((stages) =>
      withTemporaryDirectory(async (directory) => {
        let count = 0;
        for (const stage of stages) {
          const plain = namesOf(stage);
          const folder = join(directory, stage.stage.replaceAll(" ", "-"));
          await mkdir(folder);
          for (const [name, policy] of stage.stacks.flatMap(({ template }) => policiesOf(template))) {
            await writeFile(join(folder, `${name}.json`), JSON.stringify(plain(policy)));
            count += 1;
          }
        }
        await writeFile(join(directory, "canary.json"), JSON.stringify(canary));
        const { output } = await runToEnd(program, ["--directory", directory, "--json"]);
        const found = output
          .split("\n")
          .filter((line) => line.startsWith("{"))
          .map((line) => finding.parse(JSON.parse(line)));
        const findings = found.map(
          ({ issue, detail, location }) =>
            `${issue} ${location?.filepath?.split("/").at(-1) ?? ""} ${JSON.stringify(detail)}`,
        );
        return compareFindings(
          findings,
          explained,
          `${await pinnedVersion("parliament")}: ${count} policies`,
        );
      }),
    );
  },
};
