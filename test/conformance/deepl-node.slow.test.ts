import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import * as deepl from "deepl-node";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { baseUrl, call, createAccount } from "../support/client.ts";

/** DeepL's own client, unmodified, with nothing but the address of the server and a key. */
const clientWith = (key: string) =>
  new deepl.DeepLClient(key, { serverUrl: `${baseUrl}/deepl`, maxRetries: 1 });

/** Its types only know DeepL's own languages. */
const luganda = "lg" as deepl.TargetLanguageCode;

let token: string;
let client: deepl.DeepLClient;
let directory: string;
beforeAll(async () => {
  ({ token } = await createAccount());
  client = clientWith(token);
  directory = await mkdtemp(join(tmpdir(), "deepl-node-"));
});
afterAll(() => rm(directory, { recursive: true }));

const usedCharacters = async () => (await client.getUsage()).character?.count ?? 0;

describe("deepl-node", () => {
  it("translates a text, and counts its characters", async () => {
    const before = await usedCharacters();
    const result = await client.translateText("Thank you", "en", luganda);
    expect(result).toMatchObject({ detectedSourceLang: "en", billedCharacters: 9 });
    if (inject("isLocal")) expect(result.text).toBe("Webale");
    expect((await usedCharacters()) - before).toBe(9);
  });

  it("translates a list, whose equal texts count once", async () => {
    const results = await client.translateText(["Thank you", "Good morning", "Thank you"], "en", luganda);
    expect(results.map(({ billedCharacters }) => billedCharacters)).toEqual([9, 12, 0]);
    expect(results[2]?.text).toBe(results[0]?.text);
  });

  it("detects the language, or reports that it is not known", async () => {
    const texts = ["Good morning, how are you today? We are going to the market.", "1234"];
    const results = await client.translateText(texts, null, luganda);
    expect(results.map(({ detectedSourceLang }) => detectedSourceLang)).toEqual(["en", "und"]);
  });

  it("keeps tags, with its options for them", async () => {
    const html = await client.translateText('<p class="a">Thank you</p><x>Hello</x>', "en", luganda, {
      tagHandling: "html",
      ignoreTags: ["x"],
    });
    expect(html.text).toMatch(/^<p class="a">[^<]+<\/p><x>Hello<\/x>$/);
    const xml = await client.translateText("<a><b>Thank you</b><b>Hello</b></a>", "en", luganda, {
      tagHandling: "xml",
      outlineDetection: true,
      splittingTags: ["b"],
      nonSplittingTags: ["i"],
      ignoreTags: ["c"],
    });
    expect(xml.text).toMatch(/^<a><b>[^<]+<\/b><b>[^<]+<\/b><\/a>$/);
  });

  it("sends all its other options", async () => {
    const result = await client.translateText("Thank you", "en", luganda, {
      splitSentences: "nonewlines",
      preserveFormatting: true,
      formality: "prefer_more",
      context: "A customer at a market",
      modelType: "prefer_quality_optimized",
    });
    expect(result.modelTypeUsed).toBe("quality_optimized");
  });

  it.each([
    ["formality", { formality: "less" }, /no levels of formality/],
    ["glossary", { glossary: "7f3a" }, /Glossaries are not supported/],
    ["customInstructions", { customInstructions: ["Be kind"] }, /'custom_instructions' is not known here/],
  ] as const)("hears that its option %s is not supported", async (_name, options, message) => {
    await expect(client.translateText("Thank you", "en", luganda, options as never)).rejects.toThrow(message);
  });

  it("lists the languages", async () => {
    const sources = await client.getSourceLanguages();
    expect(sources).toEqual(
      expect.arrayContaining([
        { code: "en", name: "English" },
        { code: "lg", name: "Luganda" },
        { code: "ach", name: "Acholi" },
      ]),
    );
    const targets = await client.getTargetLanguages();
    expect(targets).toEqual(
      expect.arrayContaining([
        { code: "en-GB", name: "English (British)", supportsFormality: false },
        { code: "lug", name: "Luganda", supportsFormality: false },
      ]),
    );
    expect(await client.getGlossaryLanguagePairs()).toEqual([]);
  });

  it("shows the characters and the allowance of the month", async () => {
    const usage = await client.getUsage();
    const { body } = await call("/auth/usage", { token });
    expect(usage.character).toMatchObject({
      count: body.characters_this_month.used,
      limit: body.characters_this_month.limit,
    });
    expect(usage.anyLimitReached()).toBe(false);
  });

  it("translates a document", async () => {
    const [source, target] = [join(directory, "notes.html"), join(directory, "translated.html")];
    await writeFile(source, '<h1 id="a">Thank you</h1>\n<pre>Hello</pre>');
    // In a process of its own: the client closes the descriptor of its file twice, and by then it may be a socket of another test.
    const program = `import { DeepLClient } from "deepl-node";
      const [key, serverUrl, source, target] = process.argv.slice(1);
      const client = new DeepLClient(key, { serverUrl });
      console.log(JSON.stringify(await client.translateDocument(source, target, "en", "lg")));`;
    const args = ["--input-type=module", "--eval", program, "--", token, `${baseUrl}/deepl`, source, target];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    expect(JSON.parse(stdout)).toMatchObject({ status: "done", billedCharacters: 14 });
    expect(await readFile(target, "utf8")).toMatch(/^<h1 id="a">[^<]+<\/h1>\n<pre>[^<]+<\/pre>$/);
  });

  it("hears that a document cannot be read", async () => {
    const options = { filename: "app.json" };
    const refused = client.uploadDocument(Buffer.from("{"), "en", luganda, options);
    await expect(refused).rejects.toThrow(/Bad request, message: The JSON is invalid/);
  });

  it("raises its own error for a bad key", async () => {
    await expect(clientWith("nonsense").getUsage()).rejects.toBeInstanceOf(deepl.AuthorizationError);
    const translated = clientWith("nonsense").translateText("Hello", "en", luganda);
    await expect(translated).rejects.toBeInstanceOf(deepl.AuthorizationError);
  });

  it("raises its own error for a used-up quota", async () => {
    const account = await createAccount();
    const poor = clientWith(account.token);
    const { character } = await poor.getUsage();
    const lines = Array.from({ length: Math.floor((character?.limit ?? 0) / 100) }, (_, index) =>
      `Line ${index} of a long document`.padEnd(99, "a").concat("."),
    );
    const { documentId } = await poor.uploadDocument(Buffer.from(lines.join("\n")), "en", luganda, {
      filename: "long.txt",
    });
    await expect(poor.translateText("Thank you", "en", luganda)).rejects.toBeInstanceOf(
      deepl.QuotaExceededError,
    );
    const deleted = await call(`/tasks/jobs/${documentId}`, { method: "DELETE", token: account.token });
    expect(deleted.status).toBe(204);
  });
});
