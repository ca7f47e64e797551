import { execFile } from "node:child_process";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { guides } from "../../functions/site/docs/guides/built-guides.ts";
import { codeOf } from "../../functions/site/docs/guides/guide.ts";
import { changesIn } from "../support/changes-in-guide.ts";
import { baseUrl, call, createAccount, newRegistration, sharedAccount } from "../support/client.ts";
import { described, runShell, writeSampleFiles } from "../support/documented-code.ts";

const run = promisify(execFile);
let folder = "";

/** The programs of the documentation, as people save them. */
const programs: Readonly<Record<string, string>> = Object.fromEntries([
  // That of the guide about webhooks is part of a server.
  ...guides
    .filter(({ name }) => name !== "webhooks")
    .flatMap((guide) =>
      codeOf(guide, "typescript", baseUrl).map(
        (code, index) => [`guide-${guide.name}-${index}`, code] as const,
      ),
    ),
  ...described.flatMap(({ id, samples, openAi }) => [
    ...(id === "translate" ? [[id, samples.typescript] as const] : []),
    ...(openAi ? [[`${id}-openai`, openAi.node] as const] : []),
  ]),
]);

/** Runs the programs one after the other, where packages are installed: each would take long to load them. @returns what each prints. */
const runPrograms = async (token: string): Promise<Readonly<Record<string, string>>> => {
  await symlink(join(import.meta.dirname, "../../node_modules"), join(folder, "node_modules"));
  for (const [name, code] of Object.entries(programs)) await writeFile(join(folder, `${name}.mjs`), code);
  const runner = `for (const name of process.argv.slice(1)) {
    console.log("MARK " + name);
    await import(process.cwd() + "/" + name + ".mjs").catch((error) => console.log("FAILED", error));
  }`;
  const { stdout } = await run(
    process.execPath,
    ["--input-type=module", "--eval", runner, "--", ...Object.keys(programs)],
    { cwd: folder, env: { ...process.env, API: baseUrl, TOKEN: token }, maxBuffer: 50_000_000 },
  );
  return Object.fromEntries(
    stdout
      .split("MARK ")
      .slice(1)
      .map((part) => [part.slice(0, part.indexOf("\n")), part.slice(part.indexOf("\n") + 1)]),
  );
};

describe.runIf(inject("isLocal"))("The documentation's code", () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "documentation-"));
    await writeSampleFiles(folder, (await createAccount()).token);
  });
  afterAll(() => rm(folder, { recursive: true }));

  it.each(guides.map((guide) => [guide.name, guide] as const))(
    "of the guide %s does what it says when it is pasted",
    async (name, guide) => {
      const { token } = await createAccount();
      const script = codeOf(guide, "sh", baseUrl).join("\n").replaceAll("amina", newRegistration().username);
      const printed = await runShell(script, folder, token);
      expect(codeOf(guide, "sh", baseUrl).length).toBeGreaterThan(0);
      if (name === "errors") expect(printed).toContain('"code":"unsupported_language"');
      else expect(printed).not.toMatch(/"error":\{|unauthenticated|<Error>/);
      if (name === "translation") expect(printed).toContain("leaflet.lug.docx");
    },
  );

  const fromV1 = changesIn(
    guides.find(({ name }) => name === "from-v1"),
    baseUrl,
  );
  it.each(fromV1)("of the guide from-v1 works before and after the change of $heading", async (change) => {
    const { token } = await sharedAccount();
    const parsed = (text: string): unknown => (text.startsWith("{") ? JSON.parse(text) : undefined);
    const printed = await Promise.all(
      [change.before, change.after].map(async (request) => {
        // A response with an error ends the script, and so does the failure of any other command.
        const failing = 'curl() { command curl --fail-with-body "$@"; }';
        const script = [failing, change.setup, "echo; echo MARK", request].join("\n");
        const output = await runShell(script, folder, token);
        return Buffer.from(output.split("MARK\n")[1] ?? "", "latin1").toString();
      }),
    );
    expect(printed).toHaveLength(2);
    const [before = "", after = ""] = printed;
    const rows = change.tables.flat().filter(([old = ""]) => !/^\d|^`(?:model_type|qwen|gemma)`$/.test(old));
    for (const [old = "", now = ""] of rows) {
      for (const [cell, response] of [
        [old, parsed(before)],
        [now, parsed(after)],
      ] as const) {
        for (const [, path = ""] of cell.matchAll(/`([^`]+)`/g)) expect(response).toHaveProperty(path);
      }
    }
  });

  it("of the guide keys revokes the key that it creates, and no other", async () => {
    const person = await createAccount();
    const { body: older } = await call("/auth/keys", { token: person.token, body: { name: "older" } });
    const [creation = "", ...others] = guides
      .filter(({ name }) => name === "keys")
      .flatMap((guide) => codeOf(guide, "sh", baseUrl));
    // A key that is created later is listed after it.
    const later = creation.replace("kiosk in Gulu", "later").replace("CREATED=", "LATER=");
    await runShell([creation, later, ...others].join("\n"), folder, person.token);
    const { body } = await call("/auth/keys", { token: person.token });
    const names = body.keys.map(({ name }: { name: string }) => name);
    expect(names.toSorted()).toEqual(["later", older.name]);
  });

  it("has programs that run, and print or write what they are for", async () => {
    const { token } = await sharedAccount();
    const printed = await runPrograms(token);
    expect(Object.keys(printed)).toEqual(Object.keys(programs));
    for (const [name, code] of Object.entries(programs)) {
      expect(printed[name], name).not.toContain("FAILED");
      if (!code.includes("writeFile")) expect(printed[name]?.trim(), name).not.toBe("");
    }
    expect(printed["translate"]).toContain("Oli otya?");
    const counts = Map.groupBy(Object.keys(programs), (name) => name.replace(/-\d+$/, ""));
    expect([...counts].map(([name, { length }]) => `${name} ${length}`)).toEqual(
      expect.arrayContaining([
        "guide-streaming 1",
        "guide-limits 1",
        "guide-openai-sdk 3",
        "guide-translation-clients 1",
        "guide-agents 2",
      ]),
    );
  });

  it("in Python can be read by Python", async () => {
    const codes = [
      ...described.flatMap(({ samples, openAi }) => [samples.python, ...(openAi ? [openAi.python] : [])]),
      ...guides.flatMap((guide) => codeOf(guide, "python", baseUrl)),
    ];
    expect(codes.length).toBeGreaterThan(50);
    const check = "import ast, json, sys\nfor code in json.load(sys.stdin): ast.parse(code)\nprint('read')";
    const reading = run("python3", ["-c", check]);
    reading.child.stdin?.end(JSON.stringify(codes));
    expect((await reading).stdout.trim()).toBe("read");
  });
});
