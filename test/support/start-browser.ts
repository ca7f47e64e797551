import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import type { TestProject } from "vitest/node";
import { readLocalSettings } from "../../infra/local/settings.ts";
import { type LocalService, startLocalService } from "../../infra/local/start-service.ts";
import { chromiumArguments, findChromium } from "./chromium.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Where the browser that all tests share is spoken to. */
    browserEndpoint: string;
    /** Services of which each has its own data: one as `npm start` has it, one behind a stage's name. */
    consoleUrls: { readonly plain: string; readonly prefixed: string };
    /** The folders of their data. */
    consoleData: { readonly plain: string; readonly prefixed: string };
  }
}

/** A microphone that needs no permission, and beeps. */
const microphoneArguments = ["--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"];

const startService = async (directory: string, basePath: string): Promise<LocalService> =>
  startLocalService({
    settings: readLocalSettings({ PORT: "0", DATA_DIR: directory, BASE_PATH: basePath }),
    // The tiers' own limits, as in a deployment.
    variables: { LIMIT_MULTIPLIER: "1" },
    log: () => undefined,
  });

/** Starts the browser, and the service twice: its pages must also work where every path begins with a stage's name. */
export const setup = async (project: TestProject): Promise<() => Promise<void>> => {
  const directory = await mkdtemp(join(tmpdir(), "language-ai-browser-"));
  const data = { plain: join(directory, "plain"), prefixed: join(directory, "prefixed") };
  const services = await Promise.all([startService(data.plain, ""), startService(data.prefixed, "/prod")]);
  const [plain, prefixed] = services;
  const browser = await chromium.launchServer({
    executablePath: findChromium() ?? "chromium",
    args: [...chromiumArguments, ...microphoneArguments],
  });
  project.provide("browserEndpoint", browser.wsEndpoint());
  project.provide("consoleUrls", { plain: plain.url, prefixed: prefixed.url });
  project.provide("consoleData", data);
  return async () => {
    await browser.close();
    await Promise.all(services.map((service) => service.close()));
    await rm(directory, { recursive: true, force: true });
  };
};
