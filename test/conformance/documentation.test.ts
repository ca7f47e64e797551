import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { strToU8, zipSync } from "fflate";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { guides } from "../../functions/console/docs/guides/built-guides.ts";
import { codeOf } from "../../functions/console/docs/guides/guide.ts";
import { describeReference } from "../../functions/console/docs/reference.ts";
import { operations } from "../../functions/manifest.ts";
import { documentOfStage } from "../../shared/http/openapi/stage-document.ts";
import { defaultVendors } from "../../shared/platform/config/vendors.ts";
import { changesIn } from "../support/changes-in-guide.ts";
import { baseUrl, call, createAccount, newRegistration, type TestAccount } from "../support/client.ts";

const project = join(import.meta.dirname, "../..");
const run = promisify(execFile);
const described = describeReference(
  await documentOfStage({ vendors: defaultVendors, publicBaseUrl: baseUrl }),
  baseUrl,
).flatMap((section) => section.operations);

/** Samples that cannot run as written, and why. */
const notRun: Readonly<Record<string, string>> = {
  deleteAccount: "the password is another",
  changePassword: "the password is another",
  showVerificationPage: "needs the link of a mail",
  verifyEmail: "needs the link of a mail",
  showResetPage: "needs the link of a mail",
  resetPassword: "needs the link of a mail",
  revokeKey: "needs a key that was made",
  resendWebhook: "needs a callback that was sent",
  getExport: "needs an export that was requested",
  getExportFile: "needs a file that was stored",
  refreshSpeechLink: "needs speech that was made",
  legacyVendorRefreshUrl: "needs speech that was made",
  legacyDeleteTranscription: "needs a transcription that was made",
  legacyTranscribeUpload: "needs a file that was uploaded",
  getUpload: "needs an upload that was begun",
  signUploadParts: "needs an upload that was begun",
  completeUpload: "needs an upload that was begun",
  deleteUpload: "needs an upload that was begun",
  createJob: "needs a file that was uploaded",
  getJob: "needs a job that was made",
  getJobResult: "needs a job that was made",
  addTargets: "needs a job that was made",
  deleteJob: "needs a job that was made",
  deeplDocumentStatus: "needs a document that was uploaded",
  deeplDocumentResult: "needs a document that was uploaded",
  verifyWebhook: "needs the platform's token",
  receiveDelivery: "needs the platform's signature",
};

const runnable = described.filter(({ id }) => !(id in notRun));

/** Sooner than an account's limit a minute is reached. */
const callsOfAnAccount = 20;

let folder = "";
let accounts: TestAccount[] = [];

const shell = async (script: string, { token }: TestAccount): Promise<string> => {
  const { stdout } = await run("bash", ["-euo", "pipefail", "-c", script], {
    cwd: folder,
    env: { ...process.env, TOKEN: token },
    encoding: "latin1",
    maxBuffer: 50_000_000,
  });
  return stdout;
};

/** A program as people save it, where packages are installed. */
const program = async (code: string, env: Readonly<Record<string, string>>): Promise<string> => {
  const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", code], {
    cwd: project,
    env: { ...process.env, ...env },
  });
  return stdout;
};

describe.runIf(inject("isLocal"))("The documentation's code", () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "documentation-"));
    accounts = await Promise.all(
      Array.from({ length: Math.ceil(runnable.length / callsOfAnAccount) + 1 }, createAccount),
    );
    const body = { model: "tts-20", input: "Oli otya?", language: "lug", response_format: "wav" };
    const audio = await fetch(`${baseUrl}/v1/audio/speech`, {
      method: "POST",
      headers: { Authorization: `Bearer ${accounts[0]?.token}`, "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    await writeFile(join(folder, "recording.wav"), Buffer.from(await audio.arrayBuffer()));
    const leaflet =
      "<w:document xmlns:w='w'><w:body><w:p><w:r><w:t>Thank you</w:t></w:r></w:p></w:body></w:document>";
    await writeFile(join(folder, "leaflet.docx"), zipSync({ "word/document.xml": strToU8(leaflet) }));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it("leaves out only operations that there are", () => {
    // What comes with other parts of the service is named beforehand.
    const later = /Job(?:Result)?$/;
    const ids = new Set(operations.map(({ id }) => id));
    expect(Object.keys(notRun).filter((id) => !ids.has(id) && !later.test(id))).toEqual([]);
    expect(runnable.length).toBeGreaterThan(35);
  });

  it.each(
    runnable.map(
      (operation, index) => [operation.id, operation, Math.floor(index / callsOfAnAccount)] as const,
    ),
  )("%s: its curl gets the documented response", async (_, { id, samples, status }, index) => {
    const person = id === "refreshToken" ? await createAccount() : accounts[index];
    if (!person) throw new Error("There is no account for this.");
    const username = id === "register" ? newRegistration().username : person.username;
    const script = samples.curl
      .replace(/^curl -\w+/, "$& -w '\\n%{http_code}'")
      .replaceAll("amina", username);
    const printed = await shell(script, person);
    expect(printed.slice(printed.lastIndexOf("\n") + 1), printed.slice(0, 500)).toBe(status);
  });

  const hasJobs = operations.some(({ path }) => path === "/tasks/jobs");
  const commands = guides.filter(
    ({ name }) => hasJobs || !["long-recordings", "translation", "webhooks"].includes(name),
  );
  it.each(commands.map((guide) => [guide.name, guide] as const))(
    "of the guide %s does what it says when it is pasted",
    async (name, guide) => {
      const person = await createAccount();
      const printed = await shell(
        codeOf(guide, "sh", baseUrl).join("\n").replaceAll("amina", newRegistration().username),
        person,
      );
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
    const person = await createAccount();
    const parsed = (text: string): unknown => (text.startsWith("{") ? JSON.parse(text) : undefined);
    const [before = "", after = ""] = await Promise.all(
      [change.before, change.after].map(async (request) => {
        // A response with an error ends the script, and so does the failure of any other command.
        const failing = 'curl() { command curl --fail-with-body "$@"; }';
        const printed = await shell([failing, change.setup, "echo; echo MARK", request].join("\n"), person);
        return Buffer.from(printed.split("MARK\n")[1] ?? "", "latin1").toString();
      }),
    );
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
    await shell([creation, later, ...others].join("\n"), person);
    const { body } = await call("/auth/keys", { token: person.token });
    const names = body.keys.map(({ name }: { name: string }) => name);
    expect(names.toSorted()).toEqual(["later", older.name]);
  });

  it.each([
    ["streaming", 1],
    ["limits", 1],
    ["openai-sdk", 3],
    ["translation-clients", 1],
    ["agents", 2],
  ])("of the guide %s runs as a program", async (name, count) => {
    const guide = guides.find((one) => one.name === name);
    const { token } = await createAccount();
    const codes = codeOf(guide, "typescript", baseUrl);
    expect(codes).toHaveLength(count);
    for (const code of codes) expect(await program(code, { API: baseUrl, TOKEN: token })).not.toBe("");
  });

  it("in TypeScript gets the same response as the curl", async () => {
    const { token } = await createAccount();
    const sample = described.find(({ id }) => id === "translate")?.samples.typescript ?? "";
    expect(await program(sample, { TOKEN: token })).toContain("Oli otya?");
  });

  it.each(
    described.filter(({ openAi }) => openAi !== undefined).map(({ id, openAi }) => [id, openAi] as const),
  )("of %s for the package of the OpenAI API runs", async (_, openAi) => {
    const { token } = await createAccount();
    // Programs run where packages are installed, and write their files elsewhere.
    const code = (openAi?.node ?? "").replaceAll(/"((?:recording|speech)\.\w+)"/g, (__, file: string) =>
      JSON.stringify(join(folder, file)),
    );
    const printed = await program(code, { TOKEN: token });
    expect(code.includes("writeFile") || printed.trim().length > 0).toBe(true);
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
