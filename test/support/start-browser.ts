import { chromium } from "playwright-core";
import type { TestProject } from "vitest/node";
import { chromiumArguments, findChromium } from "./chromium.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Where the browser that all tests share is spoken to. */
    browserEndpoint: string;
  }
}

/** A microphone that needs no permission, and beeps. */
const microphoneArguments = ["--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"];

export const setup = async (project: TestProject): Promise<() => Promise<void>> => {
  const browser = await chromium.launchServer({
    executablePath: findChromium() ?? "chromium",
    args: [...chromiumArguments, ...microphoneArguments],
  });
  project.provide("browserEndpoint", browser.wsEndpoint());
  return () => browser.close();
};
