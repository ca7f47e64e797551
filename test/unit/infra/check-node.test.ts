import { describe, expect, it } from "vitest";
import { nodeProblem } from "../../../infra/local/check-node.ts";
import manifest from "../../../package.json" with { type: "json" };
import { runCommand } from "../../support/run-service.ts";

const agentOf = (version: string) => `npm/10.8.2 node/v${version} linux x64 workspaces/false`;
const range = manifest.engines.node;

describe("npm's Node", () => {
  it.each(["20.19.0", "20.20.2", "22.12.0", "23.0.0", "24.21.0"])("is supported: %s", (version) => {
    expect(nodeProblem(agentOf(version), range)).toBeUndefined();
  });

  it.each(["16.20.2", "18.20.8", "20.18.3", "21.7.3", "22.11.0"])(
    "is refused, by its version: %s",
    (version) => {
      const [major, minor] = version.split(".");
      expect(nodeProblem(agentOf(version), range)).toMatch(
        new RegExp(
          `^This project needs Node \\S.*, and npm runs on Node ${major}\\.${minor}\\. Install Node \\d+, and run npm ci again\\.$`,
        ),
      );
    },
  );

  it("does not matter without npm", () => {
    expect(nodeProblem(undefined, range)).toBeUndefined();
  });

  it("ends npm start with one sentence", async () => {
    const command = runCommand("infra/local/main.ts", [], { npm_config_user_agent: agentOf("18.20.8") });
    expect(await command.ended).toBe(1);
    expect(command.output()).toMatch(/^This project needs Node .*\n$/);
  });
});
