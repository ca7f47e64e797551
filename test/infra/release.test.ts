import { readdirSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { App } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { describe, expect, it } from "vitest";
import { type ReleaseTools, release, releaseBack } from "../../infra/commands/release.ts";
import { awsTarget, type RunProgram } from "../../infra/commands/release-target.ts";
import { PipelineStack, repositoryName } from "../../infra/stacks/pipeline-stack.ts";
import { deployedStage } from "../../infra/stages.ts";

const addresses = { ApiUrl: "https://api.example.org", ChatStreamUrl: "https://stream.example.org" };

/** Programs that note how they were called, and of which some fail. */
const programs = (
  fails: (call: string) => boolean = () => false,
  commits: Readonly<Record<string, string>> = {},
) => {
  const calls: string[] = [];
  const tested: Readonly<Record<string, string>>[] = [];
  const run: RunProgram = async (program, args, { cwd, variables } = {}) => {
    const where = cwd ? "before: " : "";
    const call = `${where}${program} ${args.filter((arg) => !arg.includes("language-ai-release-")).join(" ")}`;
    calls.push(call);
    if (variables) tested.push(variables);
    const option = args.indexOf("--outputs-file");
    const outputsFile = option < 0 ? undefined : args[option + 1];
    if (args.includes("deploy") && outputsFile) {
      await writeFile(outputsFile, JSON.stringify({ "LanguageAi-prod-Api": addresses }));
    }
    return fails(call) ? 1 : 0;
  };
  return { calls, tested, tools: { run, commitOf: async (name: string) => commits[name] } };
};

const stage = deployedStage("prod", {
  CHAT_BASE_URL: "https://models.example.org/v1",
  MAIL_FROM: "no-reply@example.org",
  LEGACY_VENDOR_A: "first",
});
const act = (action: typeof release, tools: ReleaseTools) =>
  action("prod", (folder) => awsTarget(stage, folder, tools.run), tools);
const releaseProd = (tools: ReleaseTools) => act(release, tools);

const deploy = "npx cdk deploy --all -c stage=prod --require-approval never --outputs-file";
const tests = "npm run smoke";
const install = "before: npm ci --prefer-offline --no-audit --no-fund";
const deployBefore =
  "before: npx cdk deploy LanguageAi-prod-!(Data) --exclusively -c stage=prod --require-approval never --outputs-file";
const testsBefore = "before: npm run --if-present smoke";

describe("A release", () => {
  it("is deployed without a question, tested at its address, and tagged", async () => {
    const { calls, tested, tools } = programs();
    await releaseProd(tools);
    expect(calls).toEqual([deploy, tests, "git tag --force released/prod", "git worktree prune"]);
    expect(tested).toEqual([
      {
        BASE_URL: "https://api.example.org",
        CHAT_STREAM_URL: "https://stream.example.org",
        SPOKEN_LANGUAGES: "ach,afr,eng,ewe,ful,hau,ibo,kik,kin,lin,lug,luo,nyn,swa,teo,xho,yor",
        LEGACY_VENDOR_A: "first",
        LEGACY_VENDOR_B: "runpod",
        LEGACY_PROVIDER_ROUTES: "answer",
        MESSAGING_SIGNATURE_MODE: "enforce",
      },
    ]);
  });

  it("that does not pass the tests is replaced by the one before, all but the data, and not remembered", async () => {
    const { calls, tools } = programs((call) => call === tests);
    await expect(releaseProd(tools)).rejects.toThrow(
      /^The smoke tests failed; the previous release is deployed again\.$/,
    );
    expect(calls).toEqual([
      deploy,
      tests,
      "git worktree add --detach released/prod",
      install,
      deployBefore,
      testsBefore,
      "git worktree prune",
    ]);
  });

  it("that fails for a reason of the stage, as the one before does, says so", async () => {
    const { tools } = programs((call) => call === tests || call === testsBefore);
    await expect(releaseProd(tools)).rejects.toThrow(
      "is deployed again. It fails its own smoke tests, too: check the models",
    );
  });

  it("that cannot be replaced says which step failed", async () => {
    const { tools } = programs((call) => call === tests || call === install);
    await expect(releaseProd(tools)).rejects.toThrow("the rollback to released/prod failed: npm ci");
  });

  it("remembers the release that it replaces, unless that is the same commit", async () => {
    const tags = { "released/prod": "1a", HEAD: "2b" };
    const { calls, tools } = programs(undefined, tags);
    await releaseProd(tools);
    expect(calls.slice(2)).toEqual([
      "git tag --force released/prod-before 1a",
      "git tag --force released/prod",
      "git worktree prune",
    ]);
    const same = programs(undefined, { ...tags, HEAD: "1a" });
    await releaseProd(same.tools);
    expect(same.calls.slice(2)).toEqual(["git tag --force released/prod", "git worktree prune"]);
  });

  const back = { "released/prod": "2b", "released/prod-before": "1a" };
  const stepsBack = ["git worktree add --detach 1a", install, deployBefore, testsBefore];

  it("goes back to the one before on demand, hours later, at once and without the data", async () => {
    const { calls, tested, tools } = programs(undefined, back);
    await act(releaseBack, tools);
    expect(calls).toEqual([...stepsBack, "git tag --force released/prod 1a", "git worktree prune"]);
    expect(tested[0]).toEqual({ RELEASE_SHIFT: "at-once" });
    expect(tested[1]).toMatchObject({ BASE_URL: "https://api.example.org" });
  });

  it("that went back says so when the tests fail", async () => {
    const { calls, tools } = programs((call) => call === testsBefore, back);
    await expect(act(releaseBack, tools)).rejects.toThrow(
      "The release before, 1a, is deployed. It fails its own smoke tests, too",
    );
    expect(calls).toContain("git tag --force released/prod 1a");
  });

  it.each([
    ["is unknown", {}, "There is no tag released/prod-before"],
    ["is deployed already", { ...back, "released/prod": "1a" }, "1a, is deployed already"],
  ])("does not go back when the one before %s", async (_, tags, reason) => {
    const { calls, tools } = programs(undefined, tags);
    await expect(act(releaseBack, tools)).rejects.toThrow(reason);
    expect(calls).toEqual([]);
  });

  it("that CloudFormation refuses is tried no further", async () => {
    const { calls, tools } = programs((call) => call === deploy);
    await expect(releaseProd(tools)).rejects.toThrow("The deployment failed");
    expect(calls).toEqual([deploy, "git worktree prune"]);
  });
});

const stackOf = (hasProvider: boolean, repository = "example/languages") =>
  Template.fromStack(
    new PipelineStack(new App(), "Pipeline", {
      repository,
      environments: ["dev", "prod"],
      hasProvider,
    }),
  );
const template = stackOf(false);

describe("The roles of the workflows", () => {
  const subjectsOf = (id: string, stack = template): unknown => {
    const [role] = Object.entries(stack.findResources("AWS::IAM::Role")).flatMap(([name, found]) =>
      name.startsWith(id) ? [found] : [],
    );
    const [statement] = role?.["Properties"].AssumeRolePolicyDocument.Statement ?? [];
    expect(statement.Action).toBe("sts:AssumeRoleWithWebIdentity");
    const { StringEquals } = statement.Condition;
    expect(StringEquals["token.actions.githubusercontent.com:aud"]).toBe("sts.amazonaws.com");
    return StringEquals["token.actions.githubusercontent.com:sub"];
  };
  const actionsOf = (id: string): string[] =>
    Object.entries(template.findResources("AWS::IAM::Policy"))
      .filter(([name]) => name.startsWith(id))
      .flatMap(([, policy]) => policy["Properties"].PolicyDocument.Statement)
      .flatMap(({ Action }) => Action);

  it("are one for each environment, which only its runs can assume", () => {
    expect(subjectsOf("DeployerDev")).toEqual(["repo:example/languages:environment:dev"]);
    expect(subjectsOf("DeployerProd")).toEqual(["repo:example/languages:environment:prod"]);
    for (const id of ["DeployerDev", "DeployerProd"]) expect(actionsOf(id)).toEqual(["sts:AssumeRole"]);
  });

  it("let pull requests read templates and do nothing else", () => {
    expect(subjectsOf("Reviewer")).toEqual(["repo:example/languages:pull_request"]);
    expect(actionsOf("Reviewer")).toEqual(["cloudformation:DescribeStacks", "cloudformation:GetTemplate"]);
    expect(Object.keys(template.findResources("AWS::IAM::Role"))).toHaveLength(3);
  });

  it("trust a repository by its names, and by its names with their ids", () => {
    const stack = stackOf(false, "example@123456/languages@456789");
    const names = ["example/languages", "example@123456/languages@456789"];
    for (const [id, subject] of [
      ["DeployerProd", "environment:prod"],
      ["Reviewer", "pull_request"],
    ] as const) {
      expect(subjectsOf(id, stack)).toEqual(names.map((name) => `repo:${name}:${subject}`));
    }
  });

  it.each([
    ["example@1/languages@2", ""],
    ["example/languages", ""],
    ["example@1/languages", "must look like owner@id/name@id"],
    ["example@*/languages@*", "must look like owner@id/name@id"],
  ])("are for the repository %s, or it is refused", (repository, refusal) => {
    expect(repositoryName.safeParse(repository).error?.issues[0]?.message ?? "").toContain(refusal);
    expect(repositoryName.safeParse(repository).success).toBe(refusal === "");
  });

  it("use the provider of an account that trusts GitHub already", () => {
    template.resourceCountIs("AWS::IAM::OIDCProvider", 1);
    const existing = stackOf(true);
    existing.resourceCountIs("AWS::IAM::OIDCProvider", 0);
    expect(JSON.stringify(existing.findResources("AWS::IAM::Role"))).toContain(
      ":oidc-provider/token.actions.githubusercontent.com",
    );
  });
});

describe("The workflows", () => {
  const folder = ".github/workflows";
  const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
  const linesWith = (pattern: RegExp): string[] =>
    texts.flatMap((text) => [...text.matchAll(pattern)].map(([, found = ""]) => found));

  it("use commands that package.json has", () => {
    const scripts: unknown = JSON.parse(readFileSync("package.json", "utf8")).scripts;
    const used = linesWith(/npm run ([a-z:]+)/g);
    expect(used).toEqual(["test:release", "release", "package"]);
    for (const name of used) expect(scripts).toHaveProperty([name]);
  });

  const read = (name: string) => readFileSync(join(folder, name), "utf8");

  it("release nothing before the gate has passed, and to prod nothing that dev refused", () => {
    const release = read("release.yml");
    expect(release).toMatch(/^ {2}gate:\n {4}uses: \.\/\.github\/workflows\/ci\.yml$/m);
    expect(release).toMatch(/^ {2}dev:\n {4}needs: gate$/m);
    expect(release).toMatch(/^ {2}prod:\n {4}needs: dev$/m);
    expect(read("ci.yml")).toContain("workflow_call:");
  });

  it("give pull requests the role that reads templates, and fail when the comparison does", () => {
    const changes = read("changes.yml");
    expect(changes).toMatch(/role-to-assume: \$\{\{ vars\.AWS_REVIEWER_ROLE \}\}/);
    expect(changes).not.toMatch(/^ +environment:/m);
    // Only this shell has `pipefail`.
    expect(changes).toMatch(/shell: bash\n {8}run: \|\n.*cdk diff .*--method=template.*\| tee/);
  });

  it("may deploy for two hours, as long as a gradual release and its way back take", () => {
    expect(read("release-stage.yml")).toMatch(/role-duration-seconds: 7200\n/);
    const sessions = Object.values(template.findResources("AWS::IAM::Role")).map(
      ({ Properties }) => Properties.MaxSessionDuration,
    );
    expect(new Set(sessions)).toEqual(new Set([7_200]));
  });

  it("attach the stage's settings to a release in private repositories only", () => {
    expect(read("release-stage.yml")).toMatch(
      /name: Attach the package.*\n(?: +#.*\n)* +if: inputs\.stage == 'prod' && github\.event\.repository\.private\n/,
    );
  });

  it("run the gate once for a pull request", () => {
    expect(texts.filter((text) => /^ {2}pull_request:/m.test(text) && text.includes(".ci/run"))).toHaveLength(
      1,
    );
    expect(linesWith(/run: npm (?:test|run check)\b(.*)/g)).toEqual([]);
  });

  it("pin every action by its commit, and name the version", () => {
    const actions = linesWith(/\buses: *(.*)/g).filter((action) => !action.startsWith("./"));
    expect(actions.length).toBeGreaterThan(5);
    expect(
      actions.filter((action) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action)),
    ).toEqual([]);
    // The same action is the same version everywhere.
    const names = new Set(actions.map((action) => action.split("@")[0]));
    expect(new Set(actions).size).toBe(names.size);
  });
});
