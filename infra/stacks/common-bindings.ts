import { notices } from "../../functions/site/notices/built-notices.ts";
import { noticesOf } from "../../functions/site/notices/notice.ts";
import { serverSettings } from "../../shared/platform/config/model-servers.ts";
import { modelTasks } from "../../shared/platform/telemetry/backend-uses.ts";
import { type Binding, plainBinding, secretBinding } from "../constructs/bindings.ts";
import { identityProvidersOf } from "../identity-provider-settings.ts";
import { listText } from "../model-settings.ts";
import { detectsLanguages, mayDistinguishSpeakers } from "../stage-profiles.ts";
import type { SettingName } from "../stage-settings.ts";
import type { Stage } from "../stages.ts";
import type { DataStack } from "./data-stack.ts";

export interface FunctionGroupProps {
  readonly stage: Stage;
  readonly data: DataStack;
  /** The folder that holds a bundle for each function, under the function's name. */
  readonly bundles: string;
  /** The address that callers use, without a slash at the end. */
  readonly publicBaseUrl: string;
}

const jsonBinding = (value: object): Binding => plainBinding(JSON.stringify(value));

/** Variables that are not settings of the stage, or have another value than the setting of their name. */
const otherBindings = ({
  stage: { name, settings, catalogue },
  data,
  publicBaseUrl,
}: FunctionGroupProps) => ({
  PUBLIC_BASE_URL: plainBinding(publicBaseUrl),
  STAGE_NAME: plainBinding(name),
  TERMS_VERSION: plainBinding(noticesOf(name, notices).terms.version),
  LIMITS: jsonBinding({
    anonymousPerMinute: settings.LIMIT_ANONYMOUS_PER_MINUTE,
    credentialsPerMinute: settings.LIMIT_CREDENTIALS_PER_MINUTE,
    unverifiedQuotaShare: settings.UNVERIFIED_QUOTA_SHARE,
    multiplier: settings.LIMIT_MULTIPLIER,
    freeCharactersPerMonth: settings.FREE_CHARACTERS_PER_MONTH,
    premiumCharactersPerMonth: settings.PREMIUM_CHARACTERS_PER_MONTH,
  }),
  TRANSCRIPTION_FEATURES: jsonBinding({
    detectsLanguages: detectsLanguages(settings, catalogue),
    distinguishesSpeakers: mayDistinguishSpeakers(settings, catalogue),
  }),
  LEGACY_VENDORS: jsonBinding({ a: settings.LEGACY_VENDOR_A, b: settings.LEGACY_VENDOR_B }),
  ...(settings.CALLBACKS_ALLOW_LOOPBACK === "1" ? { CALLBACKS_ALLOW_LOOPBACK: plainBinding(true) } : {}),
  IDENTITY_PROVIDERS: jsonBinding(identityProvidersOf(settings)),
  CANARY_SECRET_ID: secretBinding(data.canaryKey),
  IDENTITY_PROVIDERS_SECRET_ID: secretBinding(data.identityProviders),
  INFERENCE_KEYS_SECRET_ID: secretBinding(data.inferenceKeys),
  MESSAGING_SECRET_ID: secretBinding(data.platformSecrets),
  SECOND_FACTOR_SECRET_ID: secretBinding(data.secondFactorKey),
  TOKEN_SECRET_ID: secretBinding(data.tokenSigningKey),
});

/** Variables that have one value in a stage. The sender of mails is not among them, because it needs a permission. */
export type CommonVariable =
  | Exclude<SettingName, "MAIL_FROM">
  | keyof ReturnType<typeof otherBindings>
  // Only the service on a developer's machine sets it.
  | "OWN_PORTS";

/** The lists of chat models, and of the servers of the tasks that have some. */
const listBindings = ({ stage: { settings } }: FunctionGroupProps): [string, Binding][] =>
  (["CHAT_MODELS", ...modelTasks.map((task) => serverSettings[task].list)] as const).flatMap((name) => {
    const list = settings[name];
    return list ? [[name, plainBinding(listText(list))]] : [];
  });

/** The bindings of a stage's common variables. A function gets those that it declares. */
export const commonBindings = (props: FunctionGroupProps): Readonly<Record<string, Binding>> => {
  const plain = Object.entries(props.stage.settings).flatMap(([name, value]): [string, Binding][] =>
    name === "MAIL_FROM" ||
    name === "CALLBACKS_ALLOW_LOOPBACK" ||
    value === undefined ||
    typeof value === "object"
      ? []
      : [[name, plainBinding(value)]],
  );
  return { ...Object.fromEntries([...plain, ...listBindings(props)]), ...otherBindings(props) };
};
