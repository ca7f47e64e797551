import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import OpenAI, { toFile } from "openai";
import { chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { calibrationFile } from "../../infra/evaluation/calibration/calibration-file.ts";
import { jobResult } from "../../shared/recordings/jobs/job-result.ts";
import type { TestAccount } from "../support/api-client.ts";
import { chromiumArguments, findChromium } from "../support/chromium.ts";
import { basePath } from "../support/client.ts";
import { type DoubtfulServer, saidFrom, saidIn, startDoubtfulServer } from "../support/doubtful-server.ts";
import { FormVisitor } from "../support/form-visitor.ts";
import { numberedRecording } from "../support/numbered-recording.ts";
import { type OwnService, startOwnService } from "../support/own-service.ts";

const executablePath = findChromium();

const seconds = 25;
const recordings = 40;

let folder: string;
let server: DoubtfulServer;
let service: OwnService;
let account: TestAccount;

/** Starts the service with an account that no limit stops. */
const start = async (settings: Readonly<Record<string, string>> = {}) => {
  service = await startOwnService({
    BASE_PATH: basePath,
    TRANSCRIPTION_BASE_URL: server.baseUrl,
    ...settings,
  });
  account = await service.client.createAccount();
  await (await service.accounts()).setAccountType(account.id, "Admin");
};

const evaluate = (out: string) =>
  service.operate(
    "evaluate",
    ...["--base-url", service.running().url, "--key", account.token, "--data", join(folder, "data")],
    ...["--out", join(folder, out), "--calibrate"],
  );

const readCalibration = async (out: string) =>
  calibrationFile.parse(JSON.parse(await readFile(join(folder, out, "calibration.json"), "utf8")));

const heard = z.looseObject({
  confidence: z.number().optional(),
  segments: z.array(z.looseObject({ text: z.string(), confidence: z.number().optional() })),
  words: z.array(z.looseObject({ word: z.string(), start: z.number(), confidence: z.number().optional() })),
});

/** Transcribes recordings that the calibration does not know. */
const transcribe = async (from: number) => {
  const openai = new OpenAI({ apiKey: account.token, baseURL: `${service.running().url}/v1`, maxRetries: 0 });
  const response = await openai.audio.transcriptions.create({
    file: await toFile(numberedRecording(seconds, from), "recording.wav"),
    model: "whisper-1",
    language: "lg",
    response_format: "verbose_json",
    timestamp_granularities: ["segment", "word"],
  });
  return heard.parse(response);
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "confidence-"));
  server = await startDoubtfulServer();
  const data = join(folder, "data");
  await mkdir(data);
  const rows = Array.from({ length: recordings }, (_, index) => {
    const transcript = saidFrom(index * seconds, seconds);
    return { audio: `${index}.wav`, transcript: `${transcript}.`, language: "lug" };
  });
  for (const [index, { audio }] of rows.entries())
    await writeFile(join(data, audio), numberedRecording(seconds, index * seconds));
  await writeFile(join(data, "data.jsonl"), rows.map((row) => JSON.stringify(row)).join("\n"));
  await start();
});
afterAll(async () => {
  await service.close();
  await server.close();
  await rm(folder, { recursive: true });
});

describe("confidence", () => {
  it("is missing, and is requested of no model, without a calibration", async () => {
    const { client } = service;
    const calls = server.forms.length;
    const found = await transcribe(30_000);
    expect([found.confidence, ...found.words.map(({ confidence }) => confidence)]).toEqual(
      Array.from({ length: seconds + 1 }, () => undefined),
    );
    const fields = { type: "transcription", language: "lug", timestamps: true };
    const { id } = await client.startJob(numberedRecording(20, 30_000), fields, { token: account.token });
    await client.whenOver(id, account.token);
    const result = await client.send(`/tasks/jobs/${id}/result`, { token: account.token });
    expect(jobResult.strict().parse(result)).not.toHaveProperty("confidence");
    const [, ofJob = ""] = server.forms.slice(calls);
    expect(server.forms.length).toBe(calls + 2);
    expect(ofJob).not.toMatch(/\r\n\r\nword\r\n|name="prompt"/);
  });
});

/** The prompts of the last requests to the model. */
const promptsSince = (calls: number): (string | undefined)[] =>
  server.forms.slice(calls).map((form) => /name="prompt"\r\n\r\n([^\r]*)/.exec(form)?.[1]);

describe("names and terms", () => {
  it("of an account and a request reach the model in the order of their use, and are offered, not written", async () => {
    const { client } = service;
    const owner = await client.createAccount();
    const { token } = owner;
    const list = await client.send("/auth/profile", {
      method: "PUT",
      token,
      body: { keywords: ["Okello", "Gulu"] },
    });
    expect(list.keywords).toEqual(["Okello", "Gulu"]);
    const calls = server.forms.length;
    const openai = new OpenAI({ apiKey: token, baseURL: `${service.running().url}/v1`, maxRetries: 0 });
    const form = {
      file: await toFile(numberedRecording(5), "recording.wav"),
      model: "whisper-1",
      language: "lg",
    };
    await openai.audio.transcriptions.create({
      ...form,
      keywords: ["Amina", "Okello"],
      prompt: "Ku katale.",
    });
    const heardWord = (await openai.audio.transcriptions.create(form)).text.split(" ")[0] ?? "";
    expect(promptsSince(calls)).toEqual(["Gulu, Amina, Okello. Ku katale.", "Okello, Gulu"]);

    const near = `${heardWord.slice(0, -1)}x`;
    const fields = { type: "transcription", language: "lug", timestamps: true, keywords: [near] };
    const { id } = await client.startJob(numberedRecording(5), fields, { token });
    await client.whenOver(id, token);
    const { text, segments } = jobResult.parse(await client.send(`/tasks/jobs/${id}/result`, { token }));
    expect(promptsSince(calls + 2)).toEqual([`Okello, Gulu, ${near}`]);
    expect(text.split(" ")[0]).toBe(heardWord);
    expect(segments?.[0]?.alternatives?.[0]?.split(" ")[0]).toBe(near);

    const visitor = new FormVisitor(service.running().url);
    await visitor.logIn(owner);
    const page = await visitor.open("/console/account");
    expect(page.html).toContain(">Okello, Gulu</textarea>");
    const sent = { action: "save-profile", keywords: "Amina,\n Gulu" };
    expect((await visitor.send(page, "/console/account", sent)).html).toContain(">Amina, Gulu</textarea>");
    const saved = await visitor.open("/console/account");
    await visitor.send(saved, "/console/account", { action: "save-profile", keywords: "" });
    expect(await client.send("/auth/me", { token })).not.toHaveProperty("keywords");
  });
});

describe("confidence that is calibrated", () => {
  it("stays missing where the probabilities of a model say nothing", async () => {
    server.beHonest(false);
    const { code, output } = await evaluate("random");
    server.beHonest(true);
    expect([code, output]).toEqual([0, expect.stringContaining("Luganda: no information")]);
    const { lug } = (await readCalibration("random")).languages;
    expect([lug?.recordings, lug?.words, lug?.segments.curve]).toEqual([
      recordings,
      { words: recordings * seconds, curve: null, checks: [] },
      null,
    ]);
  });

  it("is fitted on an operator's pairs, and then holds for other recordings everywhere", async () => {
    const { code, output } = await evaluate("stage");
    expect([code, output]).toEqual([0, expect.stringMatching(/Luganda: of \d+ words marked 0\.9 or more/)]);
    const { lug } = (await readCalibration("stage")).languages;
    expect(lug?.words.curve?.length).toBeGreaterThan(3);
    await service.close();
    // The functions are built for this stage.
    await start({ BUILT_FUNCTIONS: "", STAGE_DIR: join(folder, "stage") });

    const calls = server.forms.length;
    const marked: boolean[] = [];
    for (let index = 0; index < 40; index += 1) {
      const from = 20_000 + index * seconds;
      const found = await transcribe(from);
      expect(found.confidence).toBeGreaterThan(0);
      for (const { word, start: at, confidence = 0 } of found.words)
        if (confidence >= 0.9) marked.push(word === saidIn(from + Math.floor(at)));
    }
    expect(server.forms.length).toBe(calls + 40);
    expect(marked.length).toBeGreaterThan(30);
    expect(marked.filter(Boolean).length / marked.length).toBeGreaterThanOrEqual(0.88);

    const { client } = service;
    const fields = { type: "transcription", language: "lug", timestamps: true };
    const recording = numberedRecording(60, 30_000, 8_000);
    const { id } = await client.startJob(recording, fields, { token: account.token });
    await client.whenOver(id, account.token);
    expect(server.forms.length).toBe(calls + 41);
    const resultIn = (query: string) =>
      client.send(`/tasks/jobs/${id}/result${query}`, { token: account.token });
    const result = jobResult.strict().parse(await resultIn(""));
    expect(result.reasons).toBeDefined();
    expect(result.segments?.every(({ confidence = 2 }) => confidence <= (result.confidence ?? 0) + 1)).toBe(
      true,
    );
    // Subtitles stay as they are.
    expect(await resultIn("?format=vtt")).not.toMatch(/confidence|%/);

    const visitor = new FormVisitor(service.running().url);
    await visitor.logIn(account);
    const page = await visitor.open(`/console/recordings/${id}`);
    expect(page.html).toMatch(/<button type="button" class="unsure" data-start="[\d.]+" data-end="[\d.]+"/);
    expect((await visitor.open("/quality")).html).toContain("How sure transcripts are");
  });

  it.skipIf(executablePath === undefined)("lets a person play each unsure word of a recording", async () => {
    const { url } = service.running();
    const visitor = new FormVisitor(url);
    await visitor.logIn(account);
    const { jobs } = await service.client.send("/tasks/jobs", { token: account.token });
    const browser = await chromium.launch({ executablePath: executablePath ?? "", args: chromiumArguments });
    const context = await browser.newContext();
    await context.addCookies([...visitor.cookies].map(([name, value]) => ({ name, value, url })));
    const page = await context.newPage();
    await page.goto(`${url}/console/recordings/${jobs[0].id}`);
    const word = page.locator(".unsure").last();
    const end = Number(await word.getAttribute("data-end"));
    await word.click();
    const audio = page.locator("audio");
    const read = (name: string) => audio.evaluate((player, key) => Reflect.get(player, key), name);
    await expect.poll(() => read("currentTime")).toBeGreaterThanOrEqual(end + 0.25);
    await expect.poll(() => read("paused")).toBe(true);
    // Up to the end of the word, and what plays until the browser notices.
    expect(await read("currentTime")).toBeLessThan(end + 2);
    await browser.close();
  });
});
