import type { LocalService } from "./start-service.ts";

/** What a person reads when the service is up; the last line is for programs that wait for it. */
export const banner = (service: LocalService, seconds: number): string => {
  const routes = service.model.restApi.routes.filter(({ integration }) => integration.type === "lambda");
  const models = service.sampleInferenceUrl
    ? `SAMPLE server at ${service.sampleInferenceUrl}: a phrasebook, not the real models (set CHAT_BASE_URL for those)`
    : "the servers that CHAT_BASE_URL and its kin name";
  return [
    "",
    "Language AI Service, running on this machine",
    `  API          ${service.url}  (${routes.length} routes; GET /_local/routes lists them)`,
    ...(service.chatStreamUrl ? [`  chat stream  ${service.chatStreamUrl}/tasks/chat/completions`] : []),
    `  mails        ${service.url}/_local/mail`,
    ...(service.platform
      ? [`  messages     ${service.url}/_local/messages  (npm run message -- "Hello" plays a person)`]
      : []),
    `  models       ${models}`,
    `  started in ${seconds.toFixed(1)} s; Ctrl-C ends it, its data stays`,
    "",
    `ready ${service.url}`,
  ].join("\n");
};
