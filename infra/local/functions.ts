import { basename } from "node:path";
import type {
  FunctionConfiguration,
  LocalApplication,
  LocalFunction,
  LocalResource,
} from "@language-ai/aws-stand-ins";
import { functionDefinitions } from "../../functions/manifest.ts";
import { hasRequestsOfAccounts } from "../../functions/request-log/contract.ts";
import type { PlatformSecrets } from "../../shared/messaging/platform-secrets.ts";
import { daySeconds } from "../../shared/platform/durations.ts";
import type { IdentityStandIns } from "./identity/identity-servers.ts";
import type { Models } from "./models.ts";
import { choosePort } from "./ports.ts";
import { admitSample } from "./sample-account.ts";
import { type LocalSettings, logLevels } from "./settings.ts";

/** A function to which a debugger can attach. */
export interface Inspected {
  /** The feature's name, as in the manifest. */
  readonly feature: string;
  readonly port: number;
}

/** A person may stay at a breakpoint for long. */
const inspectedSeconds = daySeconds;

const unknownFunction = (feature: string, known: Iterable<string>): Error =>
  new Error(`There is no function ${feature}; there are ${[...known].join(", ")}.`);

/**
 * Finds a port on which a debugger can attach to a function.
 *
 * @throws Error when there is no such function or the port is in use.
 */
export const chooseInspected = async (
  feature: string,
  { INSPECT_PORT }: LocalSettings,
): Promise<Inspected> => {
  const known = functionDefinitions.map(({ name }): string => name);
  if (!known.includes(feature)) throw unknownFunction(feature, known);
  return { feature, port: await choosePort(INSPECT_PORT, "INSPECT_PORT") };
};

/** Returns the feature's name of a function as in the manifest, which is also the name of its bundle. */
export const featureOf = ({ assetDirectory }: Pick<LocalFunction, "assetDirectory">): string =>
  basename(assetDirectory);

/** Whether the request log gets lines of a function: those of level INFO, which it must write. */
const isFeedingRequestLog = (definition: LocalFunction): boolean =>
  functionDefinitions.some((each) => each.name === featureOf(definition) && hasRequestsOfAccounts(each));

const feedingLevel = (level: LocalSettings["LOG_LEVEL"]): LocalSettings["LOG_LEVEL"] =>
  level === "DEBUG" ? "DEBUG" : "INFO";

const levelNames: readonly string[] = logLevels;

/** A line of a function's log, after the function's name. */
const leveledLine = new RegExp(`^[^ ]+ \\| \\{"level":"(${logLevels.join("|")})"`);

/** Whether a line that a function or server has printed is shown at a level: all lines without a level are. */
export const isShownAt = (level: LocalSettings["LOG_LEVEL"], line: string): boolean => {
  const own = leveledLine.exec(line)?.[1];
  return own === undefined || levelNames.indexOf(own) >= levelNames.indexOf(level);
};

/**
 * Returns how a function here differs from its template.
 *
 * @param otherPorts the ports of the servers that this service starts apart from those of AWS.
 */
export const configureFunction =
  ({ LOG_LEVEL }: LocalSettings, inspected: Inspected | undefined, otherPorts: readonly number[] = []) =>
  (definition: LocalFunction, ownPorts: readonly number[] = []): Partial<FunctionConfiguration> => ({
    environment: {
      LOG_LEVEL: isFeedingRequestLog(definition) ? feedingLevel(LOG_LEVEL) : LOG_LEVEL,
      ...(ownPorts.length > 0 ? { OWN_PORTS: [...ownPorts, ...otherPorts].join(",") } : {}),
    },
    ...(featureOf(definition) === inspected?.feature
      ? { inspectorPort: inspected.port, timeoutSeconds: inspectedSeconds }
      : {}),
  });

const platformSecrets = (settings: LocalSettings): Record<keyof PlatformSecrets, string> => ({
  verify_token: settings.MESSAGING_VERIFY_TOKEN,
  app_secret: settings.MESSAGING_APP_SECRET,
  access_token: settings.MESSAGING_ACCESS_TOKEN,
});

/** Returns the values of the secrets that an operator fills in for a deployment; `undefined` for generated ones. */
export const secretValue =
  (
    settings: LocalSettings,
    { clientSecrets }: Pick<IdentityStandIns, "clientSecrets">,
    { keys }: Pick<Models, "keys">,
  ) =>
  ({ logicalId }: LocalResource): string | undefined => {
    if (logicalId.startsWith("InferenceKeys")) return JSON.stringify(keys);
    if (logicalId.startsWith("MessagingSecrets")) return JSON.stringify(platformSecrets(settings));
    if (logicalId.startsWith("IdentityProviders")) return JSON.stringify(clientSecrets);
    return undefined;
  };

/** Invokes a function by its feature's name. */
export const invokeFeature =
  (application: Pick<LocalApplication, "model" | "invoke" | "standIns">) =>
  async (feature: string, event: unknown): ReturnType<LocalApplication["invoke"]> => {
    const { functions } = application.model;
    const found = functions.find((definition) => featureOf(definition) === feature);
    if (!found) throw unknownFunction(feature, functions.map(featureOf));
    await admitSample(application, event);
    return application.invoke(found.name, event);
  };
