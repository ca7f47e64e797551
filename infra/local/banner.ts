import { accountPoliciesWith } from "../../shared/accounts/limits/policies.ts";
import type { LocalService } from "./start-service.ts";

const listed = (names: readonly string[]): string =>
  new Intl.ListFormat("en-GB", { type: "conjunction" }).format(names);

/** What the banner shows. */
export type BannerFacts = Omit<LocalService, "invoke" | "watch" | "close" | "model"> & {
  readonly model: {
    readonly restApi: { readonly routes: readonly { readonly integration: { readonly type: string } }[] };
  };
};

const limits = (multiplier: number): string => {
  const { perMinute } = accountPoliciesWith(1, multiplier)({ account_type: "Free", email_verified: true });
  const compared = multiplier === 1 ? "as in a deployment" : `${multiplier} times a deployment's`;
  return `${perMinute} requests a minute for a new account, ${compared}  (LIMIT_MULTIPLIER)`;
};

/** What was found, in one line. */
const foundLines = ({ found }: Pick<BannerFacts["models"], "found">): string[] => {
  if (found.length === 0) return [];
  const models = found.map(({ url, model }) => `${model} at ${url}`);
  return [`  found        ${listed(models)}  (MODELS=sample turns this off)`];
};

const modelLines = ({ servers }: Pick<BannerFacts["models"], "servers">): string[] =>
  servers.map(({ url, tasks, isSample }, index) => {
    const server = isSample ? `SAMPLE server at ${url}, a phrasebook instead of real models` : url;
    return `  ${index === 0 ? "models" : "      "}       ${listed(tasks)}: ${server}`;
  });

/** The text for the person who started the service; its last line is for programs that wait for it. */
export const banner = (service: BannerFacts, seconds: number): string => {
  const routes = service.model.restApi.routes.filter(({ integration }) => integration.type === "lambda");
  return [
    "",
    "The Language AI Service is running on this machine",
    `  API          ${service.url}  (${routes.length} routes, listed at ${service.url}/_local/routes)`,
    `  console      open ${service.url} in a browser`,
    ...(service.isOpenToNetwork
      ? [`  phone        type ${service.url.replace("http://", "")} in a browser on the same network`]
      : []),
    `  limits       ${limits(service.limitMultiplier)}`,
    ...(service.chatStreamUrl ? [`  chat stream  ${service.chatStreamUrl}/tasks/chat/completions`] : []),
    `  mails        ${service.url}/_local/mail  (see ${service.url}/_local for more)`,
    ...(service.platform
      ? [`  messages     ${service.url}/_local/messages  (send one with npm run message -- "Hello")`]
      : []),
    ...service.identityProviders.map(
      ({ name, issuer }, index) =>
        `  ${index === 0 ? "identity" : "        "}     ${name} at ${issuer}, for test accounts only`,
    ),
    ...foundLines(service.models),
    ...modelLines(service.models),
    ...service.models.warnings.map((warning) => `  WARNING      ${warning}`),
    ...(service.enforcesPermissions
      ? []
      : ["  WARNING      permissions of functions are not enforced, because AWS_ENDPOINT_URL_* is set"]),
    ...(service.inspected
      ? [
          `  debugger     ${service.inspected.feature} listens at 127.0.0.1:${service.inspected.port}; the function has one process and a timeout of a day`,
        ]
      : []),
    ...(service.isOpenToNetwork
      ? [
          "  WARNING      everyone on this network can reach the API, the console and stored audio, without encryption,",
          "               because HOST is set: use passwords that you use nowhere else, and no microphone from a phone;",
          "               only this machine can reach /_local, with its mails and messages, and the identity providers",
        ]
      : []),
    `  started in ${seconds.toFixed(1)} s; press Ctrl-C to stop it, its data stays`,
    "",
    `ready ${service.url}`,
  ].join("\n");
};
