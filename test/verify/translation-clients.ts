import { join } from "node:path";
import * as z from "zod";
import { createAccount } from "../load/accounts.ts";
import { pythonProgramsOf, tryClient } from "./clients.ts";
import { withLocalService } from "./local-service.ts";
import { type Part, verdictOf } from "./run-parts.ts";
import { pythonEnvironment, runToEnd } from "./tools.ts";

const python = pythonEnvironment(
  "translation-clients",
  join(import.meta.dirname, "clients/translation-requirements.txt"),
);

const clients = { deepl: 8, libretranslatepy: 4 } as const;

const monthCharacters = z.object({ characters_this_month: z.object({ limit: z.int() }) });

/** Uses up the month's characters of an account by a document that no one waits for. */
const useUpCharacters = async (url: string, token: string): Promise<void> => {
  const headers = { Authorization: `Bearer ${token}` };
  const usage = await fetch(`${url}/auth/usage`, { headers });
  const { limit } = monthCharacters.parse(await usage.json()).characters_this_month;
  const lines = Array.from({ length: Math.floor(limit / 100) }, (_, index) =>
    `Line ${index} of a long document`.padEnd(99, "a").concat("."),
  );
  const form = new FormData();
  form.append("file", new File([lines.join("\n")], "long.txt"));
  form.append("target_lang", "LG");
  const response = await fetch(`${url}/deepl/v2/document`, { method: "POST", headers, body: form });
  if (!response.ok) throw new Error(`The characters could not be used up: ${await response.text()}`);
};

/** Runs the guide's programs unchanged. @returns the programs that print nothing. */
const guideFindings = async (program: string, variables: Record<string, string>): Promise<string[]> => {
  const findings: string[] = [];
  const programs = await pythonProgramsOf("translation-clients.md");
  if (programs.length < 2) findings.push("The guide has fewer than two programs in Python.");
  for (const text of programs) {
    const { code, output } = await runToEnd(program, ["-c", text], variables);
    if (code !== 0 || output.trim() === "") findings.push(`It ends with ${code}: ${output}\n${text}`);
  }
  return findings;
};

/** Python's clients of DeepL and LibreTranslate do with the service what they do with those. */
export const translationClientsPart: Part = {
  name: "Python's clients of DeepL and LibreTranslate",
  paths: ["functions/translate", "functions/jobs/deepl", "functions/site/docs/guides/translation-clients.md"],
  run: async () => {
    const program = await python.tool("python");
    return withLocalService(async ({ url, directory }) => {
      const { token } = await createAccount(url, directory);
      const poor = await createAccount(url, directory, "Free");
      await useUpCharacters(url, poor.token);
      const variables = { API: url, TOKEN: token, POOR_TOKEN: poor.token };
      const findings: string[] = [];
      for (const [client, min] of Object.entries(clients)) {
        const args = [join(import.meta.dirname, "clients/translation.py"), client];
        findings.push(...(await tryClient({ client, min, program, args, variables })).findings);
      }
      findings.push(...(await guideFindings(program, variables)));
      const versions = await Promise.all(Object.keys(clients).map((name) => python.version(name)));
      return verdictOf(findings, `${versions.join(" and ")} translate, and the guide's programs run`);
    });
  },
};
