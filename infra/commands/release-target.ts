import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import type { StageCatalogue } from "../../shared/platform/catalogue/stage-catalogue.ts";
import { synthesisLanguagesWith } from "../../shared/platform/catalogue/voices.ts";
import type { Stage } from "../stages.ts";

/** Runs a program with its output on this terminal. @returns its exit code. */
export type RunProgram = (
  program: string,
  args: readonly string[],
  options?: { readonly cwd?: string; readonly variables?: Readonly<Record<string, string>> },
) => Promise<number>;

/** Where a stage is deployed. */
export interface ReleaseTarget {
  /**
   * Deploys this work tree, or the one of an earlier release, at once.
   *
   * @param previous the folder of that one.
   * @returns the variables with which the smoke tests find the stage.
   * @throws Error when it is not deployed.
   */
  deploy(previous?: string): Promise<Readonly<Record<string, string>>>;
  /** Removes what only the release needed. */
  close(): Promise<void>;
}

const outputs = z.record(z.string(), z.record(z.string(), z.string()));

/** Returns the addresses of a stage from the outputs of its deployment. */
const addressesIn = (text: string, prefix: string): Record<string, string> => {
  const { ApiUrl, ChatStreamUrl } = outputs.parse(JSON.parse(text))[`${prefix}-Api`] ?? {};
  if (!ApiUrl) throw new Error("The deployment has no output ApiUrl, the address of the API.");
  return { BASE_URL: ApiUrl, ...(ChatStreamUrl ? { CHAT_STREAM_URL: ChatStreamUrl } : {}) };
};

/** The codes of the languages that have a voice in a stage. */
export const spokenLanguages = (catalogue: StageCatalogue): string[] =>
  synthesisLanguagesWith(catalogue).flatMap(({ code, voices }) => (voices.length > 0 ? [code] : []));

/** The settings and voices that callers see, so the smoke tests have to know them. */
const visibleSettings = ({ settings, catalogue }: Stage): Record<string, string> => ({
  SPOKEN_LANGUAGES: spokenLanguages(catalogue).join(","),
  LEGACY_VENDOR_A: settings.LEGACY_VENDOR_A,
  LEGACY_VENDOR_B: settings.LEGACY_VENDOR_B,
  LEGACY_PROVIDER_ROUTES: settings.LEGACY_PROVIDER_ROUTES,
  MESSAGING_SIGNATURE_MODE: settings.MESSAGING_SIGNATURE_MODE,
});

/**
 * The account of AWS.
 *
 * When it goes back, the data stack stays as the newer commit has left it. It comes first in the order and would delete exports
 * that the newer API and workers still import, which CloudFormation refuses.
 *
 * @param folder for temporary files
 */
export const awsTarget = (stage: Stage, folder: string, run: RunProgram): ReleaseTarget => {
  const outputsFile = join(folder, "outputs.json");
  const options = ["-c", `stage=${stage.name}`, "--require-approval", "never"];
  return {
    deploy: async (previous) => {
      const stacks = previous ? [`${stage.prefix}-!(Data)`, "--exclusively"] : ["--all"];
      const args = ["cdk", "deploy", ...stacks, ...options, "--outputs-file", outputsFile];
      const where = previous ? { cwd: previous, variables: { RELEASE_SHIFT: "at-once" } } : {};
      if ((await run("npx", args, where)) !== 0) {
        throw new Error("The deployment failed; CloudFormation has rolled back.");
      }
      return { ...addressesIn(await readFile(outputsFile, "utf8"), stage.prefix), ...visibleSettings(stage) };
    },
    close: async () => undefined,
  };
};
