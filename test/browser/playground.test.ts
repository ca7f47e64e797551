import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { baseUrl } from "../support/client.ts";
import { tokenOf } from "../support/operators.ts";
import { openBrowserAs } from "../support/visitor.ts";

describe("The playground", () => {
  let visitor: Awaited<ReturnType<typeof openBrowserAs>>;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "language-ai-playground-"));
    visitor = await openBrowserAs();
  });
  afterEach(() => expect(visitor.complaints()).toEqual([]));
  afterAll(async () => {
    await visitor.context.close();
    await rm(folder, { recursive: true });
  });

  const open = (name: string) => visitor.page.goto(`${baseUrl}/console/playground?try=${name}`);
  const press = (name: string) => visitor.page.getByRole("button", { name }).click();
  const result = () => visitor.page.locator("[data-result]");
  const curl = () => visitor.page.locator("[data-sample=curl] code").textContent();

  /** The output of the command that the page shows, with a token of the same account. */
  const runShown = async (): Promise<string> => {
    const { stdout } = await promisify(execFile)("bash", ["-c", (await curl()) ?? ""], {
      cwd: folder,
      env: { PATH: process.env["PATH"], TOKEN: await tokenOf(visitor.person) },
    });
    return stdout;
  };

  it("translates, as the curl that it shows does, plays the result, and swaps the languages", async () => {
    const { page } = visitor;
    await open("translate");
    expect(await result().textContent()).toBe("The result appears here.");
    const busy: (string | null)[] = [];
    const noteBusy = async () => busy.push(await result().getAttribute("aria-busy"));
    await page.route(/\/tasks\/translate$/, async (route) => {
      await noteBusy();
      await route.continue();
    });
    await page.getByLabel("Text").fill("How are you?");
    await press("Translate");
    await expect.poll(() => result().textContent()).toBe("Oli otya?");
    await expect.poll(() => result().getAttribute("aria-busy")).toBe("false");
    expect(busy).toEqual(["true"]);
    expect(JSON.parse(await runShown())).toMatchObject({
      output: { translated_text: "Oli otya?", target_language: "lug" },
    });

    // The bars of the logo move.
    await press("Listen");
    await page.locator(".listen.playing").waitFor();
    await page.locator(".listen:not(.playing)").waitFor();

    await press("Swap languages");
    expect(await page.locator("#source").inputValue()).toBe("lug");
    expect(await page.locator("#target").inputValue()).toBe("eng");
    expect(await page.getByLabel("Text").inputValue()).toBe("Oli otya?");
    await page.unroute(/\/tasks\/translate$/);
  });

  it("streams a conversation from the function's own address, and remembers it", async () => {
    const { page } = visitor;
    await open("chat");
    const message = page.getByLabel("Message");
    expect(await page.getByRole("button", { name: /^(Stop|New conversation)$/ }).count()).toBe(0);
    await message.fill("Webale");
    const requested = page.waitForRequest(/\/tasks\/chat\/completions$/);
    await press("Send");
    expect(new URL((await requested).url()).port).not.toBe(new URL(baseUrl).port);
    await page.getByRole("button", { name: "New conversation" }).waitFor();
    const replies = result().locator(".turn:not(.own)");
    expect(await replies.first().textContent()).not.toBe("");
    expect(await runShown()).toMatch(/^data: \{.*"delta"[\s\S]*data: \[DONE\]/m);
    await message.fill("Weebale nnyo");
    await press("Send");
    await expect.poll(() => replies.count()).toBe(2);
    expect(await curl()).toContain('"role": "assistant"');
  });

  it("speaks, and what it plays can be played", async () => {
    await open("speak");
    await press("Speak");
    const player = result().locator("audio");
    await expect
      .poll(() => player.evaluate((audio) => Number(Reflect.get(audio, "duration"))))
      .toBeGreaterThan(0.5);
    await runShown();
    expect((await readFile(join(folder, "speech.opus"))).subarray(0, 4).toString()).toBe("OggS");
  });

  it("writes down what the microphone records, and a file", async () => {
    const { page } = visitor;
    await open("transcribe");
    const recorder = page.locator("[data-record]");
    await recorder.click();
    await expect.poll(async () => (await recorder.textContent())?.trim()).toBe("Stop recording");
    await page.getByRole("meter").waitFor();
    // The recorder's own clock.
    await expect.poll(() => page.getByRole("timer").textContent()).toMatch(/^0:0[1-9]$/);
    await recorder.click();
    await page.locator("[data-recorded] audio").waitFor();
    expect(await curl()).toContain("audio=@recording.webm");
    const sent = page.waitForRequest(/\/tasks\/audio\/transcriptions$/);
    await press("Transcribe");
    expect((await (await sent).allHeaders())["content-type"]).toContain("multipart/form-data");
    await result().locator(".answer").waitFor();

    const response = await fetch(`${baseUrl}/tasks/audio/speech`, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        Authorization: `Bearer ${await tokenOf(visitor.person)}`,
      },
      body: JSON.stringify({ text: "Webale nnyo.", language: "lug", response_mode: "stream" }),
    });
    const buffer = Buffer.from(await response.arrayBuffer());
    await page.getByLabel("Recording").setInputFiles({ name: "hello.wav", mimeType: "audio/wav", buffer });
    await press("Transcribe");
    await expect.poll(() => result().textContent()).toBe("Webale nnyo.");
    expect(await curl()).toContain("audio=@hello.wav");
  });

  it("identifies a language by its name, and keeps its token out of every store of the browser", async () => {
    const { page, context } = visitor;
    await open("identify");
    const given = page.waitForResponse(/\/console\/playground\/token$/);
    await page.getByLabel("Text").fill("Wasuze otya nno, ssebo?");
    await press("Detect language");
    const { access_token: token, expires_in: seconds } = await (await given).json();
    expect(seconds).toBe(900);
    await expect.poll(() => result().textContent()).toBe("Luganda");
    expect(JSON.parse(await runShown())).toEqual({ language: "lug" });
    const stored = JSON.stringify([
      await context.storageState({ indexedDB: true }),
      await page.evaluate(() => ({ ...sessionStorage })),
    ]);
    expect(stored).toContain("console-session");
    expect(stored).not.toContain(token);
  });

  it("says in a sentence what went wrong", async () => {
    const { page, complaints } = visitor;
    await open("translate");
    await page.locator("#source").selectOption("lug");
    await press("Translate");
    await expect.poll(() => result().textContent()).toContain("Source and target language must be different");
    await page.route(/\/tasks\/translate$/, (route) => route.abort());
    await press("Translate");
    await expect.poll(() => result().textContent()).toContain("cannot be reached");
    await page.unroute(/\/tasks\/translate$/);
    expect(complaints().map((text) => text.replace(/ \(.*/, ""))).toEqual([
      "Failed to load resource: the server responded with a status of 400",
      "Failed to load resource: net::ERR_FAILED",
    ]);
  });
});
