import { type IdentityProvider, providerLetters } from "../../shared/platform/config/identity-providers.ts";
import { type Binding, plainBinding, secretBinding } from "../constructs/bindings.ts";
import type { SettingName, StageSettings } from "../stage-settings.ts";
import type { FunctionGroupProps } from "./function-group.ts";

/** The identity providers that people can log in with, besides their passwords. */
const identityProviders = (settings: StageSettings): IdentityProvider[] =>
  providerLetters.flatMap((letter) => {
    const prefix = ({ a: "IDP_A", b: "IDP_B" } as const)[letter];
    const issuer = settings[`${prefix}_ISSUER`];
    const clientId = settings[`${prefix}_CLIENT_ID`];
    if (issuer === undefined || clientId === undefined) return [];
    return [{ letter, name: settings[`${prefix}_NAME`] ?? new URL(issuer).host, issuer, clientId }];
  });

/** Variables that are not settings of the stage, or have another value than the setting of their name. */
const otherBindings = ({ stage: { settings }, data, publicBaseUrl }: FunctionGroupProps) => ({
  PUBLIC_BASE_URL: plainBinding(publicBaseUrl),
  CALLBACKS_ALLOW_LOOPBACK: plainBinding(settings.CALLBACKS_ALLOW_LOOPBACK === "1"),
  IDENTITY_PROVIDERS: plainBinding(JSON.stringify(identityProviders(settings))),
  CANARY_SECRET_ID: secretBinding(data.canaryKey),
  IDENTITY_PROVIDERS_SECRET_ID: secretBinding(data.identityProviders),
  INFERENCE_KEYS_SECRET_ID: secretBinding(data.inferenceKeys),
  MESSAGING_SECRET_ID: secretBinding(data.platformSecrets),
  TOKEN_SECRET_ID: secretBinding(data.tokenSigningKey),
});

/** Variables that have one value in a stage. The sender of mails is not among them, because it needs a permission. */
export type CommonVariable = Exclude<SettingName, "MAIL_FROM"> | keyof ReturnType<typeof otherBindings>;

/** The bindings of a stage's common variables. A function gets those that it declares. */
export const commonBindings = (props: FunctionGroupProps): Readonly<Record<string, Binding>> => {
  const plain = Object.entries(props.stage.settings).flatMap(([name, value]): [string, Binding][] =>
    name === "MAIL_FROM" || value === undefined || typeof value === "object"
      ? []
      : [[name, plainBinding(value)]],
  );
  return { ...Object.fromEntries(plain), ...otherBindings(props) };
};
