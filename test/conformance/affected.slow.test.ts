import { describe, expect, inject, it } from "vitest";
import { call, createAccount } from "../support/client.ts";
import { runCommand } from "../support/run-service.ts";

const affected = async (...args: string[]) => {
  const variables = { DATA_DIR: inject("dataDirectory") };
  const running = runCommand("infra/commands/affected.ts", args, variables);
  return { code: await running.ended, output: running.output() };
};

const dayFromNow = (days: number): string =>
  new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

describe.runIf(inject("isLocal"))("npm run affected", () => {
  it("lists the accounts with requests in a window, and no others", async () => {
    const [active, silent] = [await createAccount(), await createAccount()];
    const body = { source_language: "eng", target_language: "lug", text: "Thank you" };
    expect((await call("/tasks/translate", { token: active.token, body })).status).toBe(200);
    const window = ["--from", dayFromNow(-1), "--to", dayFromNow(1)];
    const { code, output } = await affected(...window);
    expect(code).toBe(0);
    expect(output).toMatch(/^account,username,email,first_day,last_day,requests\r\n/);
    expect(output).toContain(`${active.id},${active.username},`);
    expect(output).not.toContain(silent.username);
    const json = await affected(...window, "--format", "json");
    expect(JSON.parse(json.output)).toContainEqual(
      expect.objectContaining({ account: active.id, username: active.username, requests: 1 }),
    );
    const earlier = await affected("--from", dayFromNow(-9), "--to", dayFromNow(-8));
    expect(earlier.output).not.toContain(active.username);
  });

  it.each([
    [[], "Name the from day"],
    [["--from", "2026-11-20"], "Name the to day"],
    [["--from", "2026-11-22", "--to", "2026-11-20"], "after the last"],
    [["--from", "2026-11-20", "--to", "2026-13-20"], "Name the to day"],
  ])("says what is wrong with %j", async (args, sentence) => {
    const { code, output } = await affected(...args);
    expect(code).toBe(1);
    expect(output).toContain(sentence);
    expect(output).toContain("Usage: npm run -s affected");
  });
});
