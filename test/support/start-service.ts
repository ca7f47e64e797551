import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { readLocalSettings } from "../../infra/local/settings.ts";
import { startLocalService } from "../../infra/local/start-service.ts";
import { denied } from "./access/changed-permissions.ts";
import { forbiddenLines } from "./logged-secrets.ts";
import { findContradictions } from "./unlisted-data.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The address of the service under test. */
    baseUrl: string;
    /** The URL of the chat function. */
    chatStreamUrl: string;
    /** Whether that is the local service, whose `/_local` routes tests may use. */
    isLocal: boolean;
    /** The folder of its data; empty unless it is the local service. */
    dataDirectory: string;
  }
}

/** The service under test, with what is provided about it. */
export interface ServiceUnderTest {
  readonly baseUrl: string;
  readonly chatStreamUrl: string;
  readonly isLocal: boolean;
  readonly dataDirectory: string;
  stop(): Promise<void>;
}

declare global {
  /** What the projects of a run share: each of them loads this file again. */
  var serviceUnderTest: Promise<ServiceUnderTest> | undefined;
}

const deployedService = (url: string): ServiceUnderTest => {
  const withoutSlash = (address: string) => address.replace(/\/+$/, "");
  return {
    baseUrl: withoutSlash(url),
    chatStreamUrl: withoutSlash(process.env["CHAT_STREAM_URL"] ?? url),
    isLocal: false,
    dataDirectory: "",
    stop: async () => undefined,
  };
};

const startService = async (variables: Readonly<Record<string, string>>): Promise<ServiceUnderTest> => {
  const dataDirectory = await mkdtemp(join(tmpdir(), "language-ai-"));
  // Where `npm run verify` replaces stand-ins by other servers.
  const otherServers = Object.fromEntries(
    ["DYNAMODB", "S3"].map((name) => [`AWS_ENDPOINT_URL_${name}`, process.env[`VERIFY_ENDPOINT_${name}`]]),
  );
  const lines: string[] = [];
  const service = await startLocalService({
    // As at the default address of a deployment, where every path begins with the stage's name.
    settings: readLocalSettings({
      PORT: "0",
      DATA_DIR: dataDirectory,
      BASE_PATH: "/prod",
      LOG_LEVEL: "INFO",
      ...otherServers,
    }),
    variables: { MODELS: "sample", ...variables },
    log: (line) => lines.push(line),
  });
  const stop = async () => {
    const contradictions = await findContradictions(dataDirectory);
    await service.close();
    await rm(dataDirectory, { recursive: true, force: true });
    // A worker repeats what was denied, so a test may pass without the permission that a deployment lacks.
    if (denied.length > 0 && !process.env["TAKEN_PERMISSION"]) {
      throw new Error(`The service was denied:\n${[...new Set(denied)].join("\n")}`);
    }
    const forbidden = forbiddenLines(lines);
    if (forbidden.length > 0) {
      throw new Error(`The log has what no operator may read:\n${forbidden.slice(0, 20).join("\n")}`);
    }
    if (contradictions.length > 0) {
      throw new Error(`What was stored is not as it is listed:\n${contradictions.slice(0, 20).join("\n")}`);
    }
  };
  const { url: baseUrl, chatStreamUrl = baseUrl } = service;
  return { baseUrl, chatStreamUrl, isLocal: true, dataDirectory, stop };
};

const provide = (project: TestProject, service: ServiceUnderTest): void => {
  project.provide("isLocal", service.isLocal);
  project.provide("baseUrl", service.baseUrl);
  project.provide("chatStreamUrl", service.chatStreamUrl);
  project.provide("dataDirectory", service.dataDirectory);
};

/** Starts the service with these settings of the local stage, or takes the deployed one. */
const openService = async (variables: Readonly<Record<string, string>>): Promise<ServiceUnderTest> => {
  const { BASE_URL: deployed } = process.env;
  return deployed ? deployedService(deployed) : startService(variables);
};

/**
 * Starts the local service, or takes the one that `BASE_URL` (and `CHAT_STREAM_URL`) names, so that the same tests can run
 * against a deployment.
 *
 * @param variables settings of the local stage
 */
export const provideService = async (
  project: TestProject,
  variables: Readonly<Record<string, string>>,
): Promise<ServiceUnderTest> => {
  const service = await openService(variables);
  provide(project, service);
  return service;
};

/** With the tiers' own limits, as in a deployment. The projects of a run share it until the tests of all of them have ended. */
export const setup = async (project: TestProject): Promise<() => Promise<void>> => {
  const isFirst = globalThis.serviceUnderTest === undefined;
  globalThis.serviceUnderTest ??= openService({
    LIMIT_MULTIPLIER: "1",
    TRANSCRIPTION_ALTERNATIVE_MODEL: "sample-stt",
  });
  const service = await globalThis.serviceUnderTest;
  provide(project, service);
  return isFirst ? service.stop : async () => undefined;
};
