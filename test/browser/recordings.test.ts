import { expect, it } from "vitest";
import { baseUrl, send } from "../support/client.ts";
import { tokenOf } from "../support/operators.ts";
import { openBrowserAs } from "../support/visitor.ts";
import { audioBytes, wavHeaderBytes } from "../support/wav.ts";

const second = audioBytes(16_000);
/** At this rate they are three parts, and more than one segment. */
const seconds = 720;
const header = wavHeaderBytes(second.length * seconds, { sampleRate: 8_000, stated: true });

/** Chooses the recording, which the page itself builds: sending it there would take longer than all the rest. */
const chooseFile = `{
  const [header, second] = ${JSON.stringify([header, second].map((bytes) => Buffer.from(bytes).toString("base64")))}
    .map((text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0)));
  const parts = [header, ...Array(${seconds}).fill(second)];
  const chosen = new DataTransfer();
  chosen.items.add(new File(parts, "council.wav", { type: "audio/wav", lastModified: 0 }));
  document.querySelector("#file").files = chosen.files;
}`;

const isPart = /[?&]partNumber=\d+/;
const partOf = (address: string): string | null => new URL(address).searchParams.get("partNumber");

it("A recording is uploaded in parts that survive a stop, a lost connection and a reload, and becomes a transcript that follows the audio", async () => {
  const { page, context, complaints, person } = await openBrowserAs();
  const body = { default_languages: ["eng", "lug"] };
  await send("/auth/profile", { method: "PUT", token: await tokenOf(person), body });
  const upload = () => page.getByRole("button", { name: "Upload and transcribe" }).click();
  const choose = async () => {
    await page.evaluate(chooseFile);
    await upload();
  };
  const state = () => page.locator("[data-state]").textContent();

  await page.goto(`${baseUrl}/console/recordings`);
  await upload();
  await expect.poll(state).toBe("Choose a recording first.");
  await page.getByLabel("Translate to…").selectOption("Acholi");
  await choose();
  await expect.poll(state).toContain("To translate at once, choose the language");
  await page.getByLabel("Translate to…").selectOption("No translation");
  // The first part never arrives.
  await context.route(isPart, () => undefined);
  await choose();
  await expect.poll(state).toBe("Uploaded 0.0 of 11.0 MB.");
  await page.getByRole("button", { name: "Stop" }).click();
  await expect.poll(state).toContain("Stopped.");
  await context.unroute(isPart);

  let isCut = true;
  const arrived: (string | null)[] = [];
  await context.route(isPart, (route) => {
    const isRefused = isCut && partOf(route.request().url()) !== "1";
    return isRefused ? route.abort("connectionreset") : route.continue();
  });
  page.on("requestfinished", (request) => {
    if (request.method() === "PUT") arrived.push(partOf(request.url()));
  });
  await choose();
  await expect
    .poll(state)
    .toBe("The connection is lost. The upload continues automatically when it is back.");
  expect(arrived).toEqual(["1"]);
  await page.reload();
  isCut = false;
  await page.getByLabel("Language").first().selectOption("Luganda");
  await page.getByLabel("Names and terms in the recording").fill("Amina,\nGulu, ");
  const creation = page.waitForRequest((request) => request.url().endsWith("/tasks/jobs"));
  await choose();
  await page.waitForURL(/\/console\/recordings\/[\w-]{36}$/, { waitUntil: "commit" });
  expect(arrived).toEqual(["1", "2", "3"]);
  expect((await creation).postDataJSON()).toMatchObject({ language: "lug", keywords: ["Amina", "Gulu"] });
  const stored = JSON.stringify(await page.evaluate(() => ({ ...localStorage, ...sessionStorage })));
  expect(stored).toBe(`{"has-session":"yes"}`);

  // The page loads itself again at the end of the job.
  const segments = page.locator(".said li");
  await segments.first().waitFor({ timeout: 60_000 });
  await page.getByRole("heading", { level: 1, name: "council.wav" }).waitFor();
  const last = segments.last();
  const begin = Number(await last.getAttribute("data-start"));
  await last.getByRole("link").focus();
  await page.keyboard.press("Enter");
  await expect.poll(() => last.getAttribute("aria-current")).toBe("true");
  const audio = page.locator("audio");
  expect(await audio.evaluate((audio) => Number(Reflect.get(audio, "currentTime")))).toBeGreaterThanOrEqual(
    begin,
  );
  await segments.first().getByText(/\w{3}/).last().click();
  await expect.poll(() => segments.first().getAttribute("aria-current")).toBe("true");
  expect(await last.getAttribute("aria-current")).toBe(null);

  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: "Subtitles (srt)" }).click();
  expect((await download).suggestedFilename()).toBe("council.srt");
  expect(complaints().filter((text) => !text.includes("ERR_CONNECTION_RESET"))).toEqual([]);
  await context.close();
});
