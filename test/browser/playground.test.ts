import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { logIn, newPerson, register } from "../support/console-visit.ts";
import { targets, visit } from "../support/visitor.ts";

const run = promisify(execFile);

const result = (page: Page) => page.locator("[data-result]");
const curl = (page: Page) => page.locator("[data-sample=curl] code");

/** The output of the command that the page shows, with a token of the kind that the page used. */
const runShown = async (page: Page, token: string, folder = tmpdir()): Promise<string> => {
  const { stdout } = await run("bash", ["-c", (await curl(page).textContent()) ?? ""], {
    cwd: folder,
    env: { PATH: process.env["PATH"], TOKEN: token },
  });
  return stdout;
};

/** Opens the playground with an account. */
const openPlayground = (
  url: string,
  name: string,
  look: (tried: { page: Page; token: string; complaints(): string[] }) => Promise<void>,
): Promise<void> =>
  visit(async ({ page, complaints }) => {
    const person = await register(url, newPerson());
    await logIn(page, url, person);
    await page.goto(`${url}/console/playground?try=${name}`);
    await look({ page, token: person.token, complaints });
    expect(complaints()).toEqual([]);
  });

describe.each(targets)("The playground, $name", ({ url }) => {
  it("translates, and the curl that it shows returns the same", () =>
    openPlayground(url, "translate", async ({ page, token }) => {
      expect(await result(page).textContent()).toBe("The result appears here.");
      const busy: (string | null)[] = [];
      const noteBusy = async () => busy.push(await result(page).getAttribute("aria-busy"));
      await page.route(/\/tasks\/translate$/, async (route) => {
        await noteBusy();
        await route.continue();
      });
      await page.getByLabel("Text").fill("How are you?");
      await page.getByRole("button", { name: "Translate" }).click();
      await expect.poll(() => result(page).textContent()).toBe("Oli otya?");
      await noteBusy();
      expect(busy).toEqual(["true", "false"]);
      expect(JSON.parse(await runShown(page, token))).toMatchObject({
        output: { translated_text: "Oli otya?", target_language: "lug" },
      });
    }));

  it("streams a conversation from the function's own address, and remembers it", () =>
    openPlayground(url, "chat", async ({ page, token }) => {
      const message = page.getByLabel("Message");
      expect(await page.getByRole("button", { name: /^(Stop|New conversation)$/ }).count()).toBe(0);
      await message.fill("Webale");
      const requested = page.waitForRequest(/\/tasks\/chat\/completions$/);
      await page.getByRole("button", { name: "Send" }).click();
      expect(new URL((await requested).url()).port).not.toBe(new URL(url).port);
      const first = result(page).locator(".turn:not(.own)").first();
      await expect.poll(() => first.textContent()).not.toBe("");
      await page.getByRole("button", { name: "New conversation" }).waitFor();
      expect(await runShown(page, token)).toMatch(/^data: \{.*"delta"[\s\S]*data: \[DONE\]/m);
      await message.fill("Weebale nnyo");
      await page.getByRole("button", { name: "Send" }).click();
      await expect.poll(() => result(page).locator(".turn:not(.own)").count()).toBe(2);
      expect(await curl(page).textContent()).toContain('"role": "assistant"');
    }));

  it("speaks, and what it plays can be played", () =>
    openPlayground(url, "speak", async ({ page, token }) => {
      await page.getByRole("button", { name: "Speak" }).click();
      const player = result(page).locator("audio");
      await expect
        .poll(() => player.evaluate((audio) => Number(Reflect.get(audio, "duration"))))
        .toBeGreaterThan(0.5);
      const folder = await mkdtemp(join(tmpdir(), "language-ai-speech-"));
      try {
        await runShown(page, token, folder);
        expect((await readFile(join(folder, "speech.opus"))).subarray(0, 4).toString()).toBe("OggS");
      } finally {
        await rm(folder, { recursive: true });
      }
    }));

  it("writes down what the microphone records, in Opus of 16 kilobits a second", () =>
    openPlayground(url, "transcribe", async ({ page }) => {
      const recorder = page.locator("[data-record]");
      await recorder.click();
      await expect.poll(async () => (await recorder.textContent())?.trim()).toBe("Stop recording");
      await page.getByRole("meter").waitFor();
      await expect.poll(() => page.getByRole("timer").textContent()).toMatch(/^0:0\d$/);
      await page.waitForTimeout(1_500);
      await recorder.click();
      await page.locator("[data-recorded] audio").waitFor();
      expect(await curl(page).textContent()).toContain("audio=@recording.webm");
      const sent = page.waitForRequest(/\/tasks\/audio\/transcriptions$/);
      await page.getByRole("button", { name: "Transcribe" }).click();
      expect((await (await sent).allHeaders())["content-type"]).toContain("multipart/form-data");
      await expect.poll(() => result(page).locator(".answer").count()).toBe(1);
    }));

  it("writes down a file", () =>
    openPlayground(url, "transcribe", async ({ page, token }) => {
      const response = await fetch(`${url}/tasks/audio/speech`, {
        method: "POST",
        headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
        body: JSON.stringify({ text: "Webale nnyo.", language: "lug", response_mode: "stream" }),
      });
      const buffer = Buffer.from(await response.arrayBuffer());
      await page.getByLabel("Recording").setInputFiles({ name: "hello.wav", mimeType: "audio/wav", buffer });
      await page.getByRole("button", { name: "Transcribe" }).click();
      await expect.poll(() => result(page).textContent()).toBe("Webale nnyo.");
      expect(await curl(page).textContent()).toContain("audio=@hello.wav");
    }));

  it("identifies a language by its name", () =>
    openPlayground(url, "identify", async ({ page, token }) => {
      await page.getByLabel("Text").fill("Wasuze otya nno, ssebo?");
      await page.getByRole("button", { name: "Detect language" }).click();
      await expect.poll(() => result(page).textContent()).toBe("Luganda");
      expect(JSON.parse(await runShown(page, token))).toEqual({ language: "lug" });
    }));

  it("says in a sentence what went wrong", () =>
    visit(async ({ page }) => {
      await logIn(page, url, await register(url));
      await page.goto(`${url}/console/playground?try=translate`);
      await page.locator("#source").selectOption("lug");
      await page.getByRole("button", { name: "Translate" }).click();
      await expect
        .poll(() => result(page).textContent())
        .toContain("Source and target language must be different");
      await page.route(/\/tasks\/translate$/, (route) => route.abort());
      await page.getByRole("button", { name: "Translate" }).click();
      await expect.poll(() => result(page).textContent()).toContain("cannot be reached");
    }));

  it("keeps its token out of every cookie and every store of the browser", () =>
    visit(async ({ page, context }) => {
      await logIn(page, url, await register(url));
      await page.goto(`${url}/console/playground?try=identify`);
      const given = page.waitForResponse(/\/console\/playground\/token$/);
      await page.getByRole("button", { name: "Detect language" }).click();
      const { access_token: token, expires_in: seconds } = await (await given).json();
      expect(seconds).toBe(900);
      const stored = JSON.stringify([
        await context.storageState({ indexedDB: true }),
        await page.evaluate(() => ({ ...sessionStorage })),
      ]);
      expect(stored).toContain("console-session");
      expect(stored).not.toContain(token);
    }));

  it("has a token that does nothing about its account, and ends with a change of the password", () =>
    visit(async ({ page }) => {
      const person = await register(url);
      await logIn(page, url, person);
      await page.goto(`${url}/console/playground?try=identify`);
      const given = page.waitForResponse(/\/console\/playground\/token$/);
      await page.getByRole("button", { name: "Detect language" }).click();
      const { access_token: token } = await (await given).json();
      const ask = async (path: string, body: object, bearer = token): Promise<string> => {
        const response = await fetch(`${url}${path}`, {
          method: "POST",
          headers: { "Content-Type": "application/json", Authorization: `Bearer ${bearer}` },
          body: JSON.stringify(body),
        });
        const { error } = z
          .object({ error: z.object({ code: z.string() }).nullish() })
          .parse(await response.json());
        return `${response.status} ${error?.code ?? ""}`;
      };
      const passwords = { old_password: person.password, new_password: "nine cranes over the hill" };
      const identify = () => ask("/tasks/classify_language", { text: "Wasuze otya nno?" });
      expect(await identify()).toBe("200 ");
      expect(await ask("/auth/keys", { name: "mine" })).toBe("403 insufficient_scope");
      expect(await ask("/auth/refresh-token", {})).toBe("403 insufficient_scope");
      expect(await ask("/auth/change-password", passwords)).toBe("403 insufficient_scope");
      const upload = { file_name: "a.wav", content_type: "audio/wav" };
      expect(await ask("/tasks/generate-upload-url", upload)).toBe("403 insufficient_scope");
      expect(await ask("/auth/change-password", passwords, person.token)).toBe("200 ");
      expect(await identify()).toBe("401 unauthenticated");
    }));

  it("translates without JavaScript, shows the code, and says what transcribing needs", () =>
    visit(
      async ({ page }) => {
        await logIn(page, url, await register(url));
        await page.goto(`${url}/console/playground?try=translate`);
        await page.getByLabel("Text").fill("How are you?");
        await page.getByRole("button", { name: "Translate" }).click();
        await page.locator(".answer").getByText("Oli otya?").waitFor();
        await page.getByLabel("Text").fill("It's late.");
        await page.getByRole("button", { name: "Translate" }).click();
        await page.waitForLoadState();
        expect(await curl(page).textContent()).toContain(`"text": "It'\\''s late."`);
        expect(await page.locator("[data-sample=python] code").textContent()).toContain('"It\'s late."');
        await page.goto(`${url}/console/playground?try=transcribe`);
        await page.getByText("Transcribing on this page requires JavaScript.").waitFor();
        expect(await page.getByRole("button", { name: "Transcribe" }).isDisabled()).toBe(true);
      },
      { javaScriptEnabled: false },
    ));

  it("plays a translation, while the bars of the logo move", () =>
    openPlayground(url, "translate", async ({ page }) => {
      await page.getByLabel("Text").fill("How are you?");
      await page.getByRole("button", { name: "Translate" }).click();
      await page.locator(".answer").getByText("Oli otya?").waitFor();
      await page.getByRole("button", { name: "Listen" }).click();
      await page.locator(".listen.playing").waitFor();
      await page.locator(".listen:not(.playing)").waitFor();
    }));

  it("swaps the languages and takes the result as the new text", () =>
    openPlayground(url, "translate", async ({ page }) => {
      await page.getByLabel("Text").fill("How are you?");
      await page.getByRole("button", { name: "Translate" }).click();
      await page.locator(".answer").getByText("Oli otya?").waitFor();
      await page.getByRole("button", { name: "Swap languages" }).click();
      expect(await page.locator("#source").inputValue()).toBe("lug");
      expect(await page.locator("#target").inputValue()).toBe("eng");
      expect(await page.getByLabel("Text").inputValue()).toBe("Oli otya?");
    }));

  it("lets a visitor without an account translate three times, and then shows where to sign up", () =>
    visit(async ({ page }) => {
      await page.goto(`${url}/console/playground?try=identify`);
      const button = page.getByRole("button", { name: "Detect language" });
      for (let count = 0; count < 3; count += 1) {
        await page.getByLabel("Text").fill(`Wasuze otya nno, ssebo ${count}?`);
        await button.click();
        await expect.poll(() => result(page).textContent()).toBe("Luganda");
        await page.reload();
      }
      await button.click();
      await expect.poll(() => result(page).textContent()).toContain("used your 3 requests for today");
      await result(page).getByRole("link", { name: "Sign up" }).click();
      await page.waitForURL(`${url}/console/sign-up`);
    }));
});
