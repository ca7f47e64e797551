import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { endurance } from "../support/endurance.ts";
import { type FakeBackend, responding, startFakeBackend } from "../support/fake-backend.ts";
import { runCommand } from "../support/run-service.ts";

const attack = async (args: readonly string[], variables: Record<string, string> = {}) => {
  const command = runCommand("test/attack/main.ts", args, variables);
  const code = await command.ended;
  return { code, output: command.output() };
};

let defenceless: FakeBackend;
beforeAll(async () => {
  defenceless = await startFakeBackend();
  defenceless.behave(responding(200, {}));
});
afterAll(() => defenceless.close());

describe("the attack command", () => {
  it("finds that the service withstands what it is tried with", async () => {
    const { code, output } = await attack(endurance(["--quick", "--only", "11"], ["--quick"]));
    expect(output).toMatch(/[1-9]\d* refused or held, 0 left out, 0 succeeded/);
    expect(code, output).toBe(0);
  }, 600_000);

  it("fails when an attack succeeds, and says what it leaves out with a service that it has not started", async () => {
    const { code, output } = await attack(["--only", "1"], { BASE_URL: defenceless.baseUrl });
    expect(output).toContain("SUCCEEDED");
    expect(code).toBe(1);
    const models = await attack(["--only", "6"], { BASE_URL: defenceless.baseUrl });
    expect(models.output).toContain("the models of this service are not ours");
    expect(models.code).toBe(0);
  });
});
