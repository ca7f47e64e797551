import { expect, it } from "vitest";
import { baseUrl } from "../support/client.ts";
import { openBrowserAs } from "../support/visitor.ts";

it("A document is chosen, translated, downloaded and deleted", async () => {
  const { page, context, complaints } = await openBrowserAs();
  await page.goto(`${baseUrl}/console/playground`);
  await page.getByRole("link", { name: "Document", exact: true }).click();
  const upload = () => page.getByRole("button", { name: "Upload and translate" }).click();
  await upload();
  await expect.poll(() => page.locator("[data-state]").textContent()).toBe("Choose a document first.");

  const buffer = Buffer.from("<h1>Thank you</h1>\n<p class='a'>Good <b>morning</b></p>\n");
  await page.locator("#file").setInputFiles({ name: "leaflet.html", mimeType: "text/html", buffer });
  await page.locator("#source_language").selectOption("eng");
  await page.locator("#target_language").selectOption("lug");
  await upload();
  // The page loads itself again at the end of the job.
  await page.getByRole("heading", { level: 3, name: "leaflet.lug.html" }).waitFor({ timeout: 60_000 });
  const saved = page.waitForEvent("download");
  await page.getByRole("link", { name: "Download" }).click();
  expect((await saved).suggestedFilename()).toBe("leaflet.lug.html");
  const content = await (await saved).createReadStream();
  expect(await new Response(ReadableStream.from(content)).text()).toMatch(
    /^<h1>Webale<\/h1>\n<p class='a'>.*<b>.*<\/b>.*<\/p>\n$/,
  );

  await page.getByText("Delete", { exact: true }).first().click();
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByText("The document and its translation are deleted.").waitFor();
  await page.getByText("No documents yet").waitFor();
  expect(complaints()).toEqual([]);
  await context.close();
});
