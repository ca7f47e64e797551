import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, inject, it } from "vitest";
import { baseUrl, newRegistration } from "../support/client.ts";

const readme = await readFile(join(import.meta.dirname, "../../README.md"), "utf8");

/** A block of commands, and the block below it that shows what they print, when there is one. */
const pairs = [...readme.matchAll(/^```sh\n([\s\S]*?)\n```\n(?:\n```\n([\s\S]*?)\n```\n)?/gm)].map(
  ([, commands = "", shown]) => ({ commands, shown }),
);
const requests = pairs.filter(({ commands }) => !commands.startsWith("npm "));

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** The expected output, with `…` for parts that change. */
const expected = (shown: string) =>
  new RegExp(`^\\s*${shown.split("…").map(escaped).join("[\\s\\S]*?")}\\s*$`);

describe("The README", () => {
  it("has the service's address in one place, and no prompt that would be pasted", () => {
    const commands = pairs.map((pair) => pair.commands).join("\n");
    expect(commands.match(/127\.0\.0\.1|localhost|3000/g)).toEqual(["127.0.0.1", "3000"]);
    expect(readme).not.toMatch(/^\$ /m);
    expect(requests.length).toBeGreaterThan(0);
  });

  // The replies are those of the sample models.
  it.runIf(inject("isLocal"))("has commands that print what it shows when they are pasted", async () => {
    const folder = await mkdtemp(join(tmpdir(), "readme-"));
    const { username } = newRegistration();
    const asPrinted = (text: string) => text.replaceAll("amina", username).replace('"id":1,', '"id":…,');
    const end = "----- the next block -----";
    const script = requests
      .map(
        ({ commands }) =>
          `${asPrinted(commands).replace("http://127.0.0.1:3000", baseUrl)}\necho; echo '${end}'`,
      )
      .join("\n");
    const { stdout } = await promisify(execFile)("bash", ["-euo", "pipefail", "-c", script], { cwd: folder });
    await rm(folder, { recursive: true });

    const printed = stdout.split(end);
    for (const [index, { commands, shown }] of requests.entries()) {
      if (shown !== undefined) expect(printed[index], commands).toMatch(expected(asPrinted(shown)));
    }
    expect(requests.filter(({ shown }) => shown !== undefined).length).toBeGreaterThan(0);
  });
});
