import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { sampleModels, startSampleInference } from "@language-ai/sample-models";
import { projectDirectory } from "../../../infra/bundling/bundle-options.ts";
import { withTemporaryDirectory } from "../../infra/synthesized-service.ts";
import { speakWords, startListener } from "../../support/spoken-words.ts";
import { type Part, type Verdict, verdictOf } from "../run-parts.ts";
import { accountScenarios, lostRefresh } from "./account-scenarios.ts";
import { consoleScenarios } from "./console-scenarios.ts";
import { failedDocument, halfTranslatedDocument } from "./document-scenarios.ts";
import { jobScenarios, pendingCallback, runningJobs } from "./job-scenarios.ts";
import { longVoiceNote, messageScenarios, queuedMail, queuedMessage } from "./message-scenarios.ts";
import { startCallbackReceiver, startGate } from "./outside-world.ts";
import { recordingScenarios } from "./recording-scenarios.ts";
import { releaseName, unpackLastRelease } from "./release-folder.ts";
import { chooseFirstPort, type RunningBuild, runBuild, runOperatorCommand } from "./run-build.ts";
import type { Check, Scenario, World } from "./scenario.ts";

const finished: readonly Scenario[] = [
  ...accountScenarios,
  ...consoleScenarios,
  ...recordingScenarios,
  ...jobScenarios,
  ...messageScenarios,
];

/** Scenarios that leave work behind, on top of the work of those before them. They are checked in reverse order. */
const unfinished: readonly Scenario[] = [
  failedDocument,
  halfTranslatedDocument,
  queuedMail,
  queuedMessage,
  pendingCallback,
  longVoiceNote,
  runningJobs,
  lostRefresh,
];

/** A check with the title of its scenario. */
interface TitledCheck {
  readonly title: string;
  readonly check: Check;
}

const maxMessageLength = 400;

/** The message on one line. */
const messageOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, " ").slice(0, maxMessageLength);

const prepareAll = async (scenarios: readonly Scenario[], world: World): Promise<TitledCheck[]> => {
  const checks: TitledCheck[] = [];
  for (const { title, prepare } of scenarios) {
    const check = await prepare(world).catch((error: unknown) => {
      throw new Error(`${title}, prepared by the ${world.maker} build: ${messageOf(error)}`);
    });
    checks.push({ title, check });
  }
  return checks;
};

/** Runs all checks. @returns a line for each that failed. */
const findingsOf = async (checks: readonly TitledCheck[], where: string): Promise<string[]> => {
  const findings: string[] = [];
  for (const { title, check } of checks) {
    await check().catch((error: unknown) => findings.push(`${where}: ${title}: ${messageOf(error)}`));
  }
  return findings;
};

/** Starts the servers around the service, which all builds use. */
const openWorld = async () => {
  const voice = await speakWords();
  const sample = await startSampleInference({ voices: [] });
  const listener = await startListener(voice, 0);
  const chat = await startGate(new URL(sample.baseUrl).origin);
  const translation = await startGate(new URL(sample.baseUrl).origin);
  const transcription = await startGate(new URL(listener.baseUrl).origin);
  // It never passes anything on: a build either sends its mails here while it is shut, or to its own stand-in of SES.
  const mail = await startGate("http://127.0.0.1:1");
  const callbacks = await startCallbackReceiver();
  const servers = [sample, listener, chat, translation, transcription, mail, callbacks];
  return {
    voice,
    gates: { chat, translation, transcription, mail },
    callbacks,
    close: async () => {
      for (const server of servers) await server.close();
    },
  };
};

type OpenWorld = Awaited<ReturnType<typeof openWorld>>;

/** Runs one build after the other, on one data folder and at one address. */
class Builds {
  readonly #variables: Readonly<Record<string, string>> & { readonly DATA_DIR: string };
  readonly #world: OpenWorld;
  readonly url: string;
  #running: RunningBuild | undefined;

  constructor(world: OpenWorld, dataDirectory: string, port: number) {
    const { chat, translation, transcription } = world.gates;
    this.#world = world;
    this.url = `http://127.0.0.1:${port}`;
    this.#variables = {
      PORT: String(port),
      DATA_DIR: dataDirectory,
      CALLBACKS_ALLOW_LOOPBACK: "1",
      CHAT_BASE_URL: `${chat.url}/v1`,
      CHAT_MODEL_14B: sampleModels.model14b,
      CHAT_MODEL_9B: sampleModels.model9b,
      TRANSLATION_BASE_URL: `${translation.url}/v1`,
      TRANSLATION_MODEL: sampleModels.model9b,
      TRANSLATION_PROFILE: "sample",
      TRANSCRIPTION_BASE_URL: `${transcription.url}/v1`,
      TRANSCRIPTION_PROFILE: "sample",
    };
  }

  async start(folder: string, variables: Readonly<Record<string, string>> = {}): Promise<void> {
    this.#running = await runBuild(folder, { ...this.#variables, ...variables });
  }

  async stop(signal?: NodeJS.Signals): Promise<void> {
    await this.#running?.stop(signal);
    this.#running = undefined;
  }

  /**
   * Stores the data of all scenarios with the build that is running, and kills it while it works.
   *
   * @param folder the root of the build
   */
  async prepare(folder: string, maker: World["maker"]): Promise<TitledCheck[]> {
    const world: World = {
      ...this.#world,
      url: this.url,
      maker,
      operate: (...command) => runOperatorCommand(folder, this.#variables.DATA_DIR, command),
    };
    const checks = await prepareAll(finished, world);
    await this.stop("SIGTERM");
    await this.start(folder, { AWS_ENDPOINT_URL_SES: world.gates.mail.url });
    const late = await prepareAll(unfinished, world);
    await this.stop();
    for (const gate of [world.gates.chat, world.gates.translation, world.gates.mail]) gate.open();
    world.callbacks.refuses = false;
    return [...late.toReversed(), ...checks];
  }
}

const tryBothWays = async (folder: string, builds: Builds): Promise<Verdict> => {
  const release = join(folder, "release");
  await builds.start(release);
  const ofRelease = await builds.prepare(release, "release");

  await builds.start(projectDirectory);
  const forth = await findingsOf(ofRelease, `stored by ${releaseName}, served by this build`);
  if (forth.length > 0) return { kind: "failed", findings: [...forth, "The way back was not tried."] };
  const ofPresent = await builds.prepare(projectDirectory, "present");

  await builds.start(release);
  const back = [
    ...(await findingsOf(ofPresent, `stored by this build, served by ${releaseName}`)),
    ...(await findingsOf(ofRelease, `stored by ${releaseName}, served by it again`)),
  ];
  const { length } = ofRelease;
  return verdictOf(
    back,
    `${releaseName}: ${length} scenarios upgraded, ${length + ofPresent.length} taken back`,
  );
};

/** This build has to serve what the last release has stored, and vice versa. */
export const upgradePart: Part = {
  name: "last release: an upgrade of its data, and the way back",
  paths: ["functions", "shared", "infra/local", "infra/packages/aws-stand-ins/src", "test/verify/upgrade"],
  run: () =>
    withTemporaryDirectory(async (folder): Promise<Verdict> => {
      const release = join(folder, "release");
      await mkdir(release);
      await unpackLastRelease(release);
      const world = await openWorld();
      const builds = new Builds(world, join(folder, "data"), await chooseFirstPort());
      try {
        return await tryBothWays(folder, builds);
      } finally {
        await builds.stop();
        await world.close();
      }
    }),
};
