import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { strToU8, zipSync } from "fflate";
import * as z from "zod";
import { documentOfStage } from "../../functions/docs/stage-document.ts";
import { describeReference } from "../../functions/site/docs/reference.ts";
import { defaultVendors } from "../../shared/platform/config/vendors.ts";
import { baseUrl, speak } from "./client.ts";

const failure = z.object({ code: z.union([z.number(), z.string()]), stdout: z.string() });

/** The operations as the pages of the documentation show them. */
export const described = describeReference(
  await documentOfStage({ vendors: defaultVendors, publicBaseUrl: baseUrl }),
  baseUrl,
).flatMap((section) => section.operations);

/**
 * Runs commands of the documentation as a person pastes them.
 *
 * @returns what they print, in Latin-1.
 * @throws Error with the exit code and what they printed last.
 */
export const runShell = async (script: string, folder: string, token: string): Promise<string> => {
  const options = { cwd: folder, env: { ...process.env, TOKEN: token }, maxBuffer: 50_000_000 };
  const running = promisify(execFile)("bash", ["-euo", "pipefail", "-c", script], {
    ...options,
    encoding: "latin1",
  });
  const { stdout } = await running.catch((error: unknown) => {
    const { code, stdout: printed } = failure.parse(error);
    throw new Error(`Exit code ${code}, after: ${printed.slice(-1_000)}`, { cause: error });
  });
  return stdout;
};

/** Writes the files that the samples name into a folder. */
export const writeSampleFiles = async (folder: string, token: string): Promise<void> => {
  await writeFile(join(folder, "recording.wav"), await speak("Oli otya?", token, { language: "lug" }));
  const leaflet =
    "<w:document xmlns:w='w'><w:body><w:p><w:r><w:t>Thank you</w:t></w:r></w:p></w:body></w:document>";
  await writeFile(join(folder, "leaflet.docx"), zipSync({ "word/document.xml": strToU8(leaflet) }));
};
