import { RetentionDays } from "aws-cdk-lib/aws-logs";
import * as z from "zod";
import { legacySettings } from "../functions/legacy/settings.ts";

/** `Name <address>` or an address alone; the group is the address. */
export const senderPattern = /^(?:[^<>]+ <)?([^\s<>@]+@[^\s<>@]+)>?$/;

const backend = z.object({
  /** Includes `/v1`. */
  baseUrl: z.url(),
  /** Silence of a server must be noticed well before the function's own time-out of 150 seconds ends the request. */
  timeoutMilliseconds: z.int().min(1).max(120_000),
});

const modelName = z.string().min(1);

/** Long recordings take minutes. The function gives up after 290 seconds, because API Gateway would after 300. */
const transcriptionBackend = backend.extend({
  model: modelName,
  timeoutMilliseconds: z.int().min(1).max(270_000),
});

/** Settings of one deployment of the service. */
export const stageSettings = z.object({
  /** Part of the stacks' names and of the API's default address. */
  name: z.string().regex(/^[a-z][a-z0-9]{0,15}$/, {
    error: "A stage's name is a lower-case word of at most 16 letters and digits.",
  }),
  /** Address under which callers reach the service; by default the REST API's own. */
  publicBaseUrl: z.url().optional(),
  /** Days until a token expires; 0 for never. */
  tokenLifetimeDays: z.int().min(0),
  /** With 0 a revoked token is refused at once; API Gateway keeps an answer for an hour at most. */
  authorizerCacheSeconds: z.int().min(0).max(3600),
  /** Where the models are served, by task. */
  inference: z.object({
    chat: backend.extend({
      models: z.object({ "14b": modelName, "9b": modelName }),
      /** Whether a model's answers begin inside a thought. */
      thinksFirst: z.object({ "14b": z.boolean(), "9b": z.boolean() }),
    }),
    translation: backend.extend({ model: modelName }),
    transcription: transcriptionBackend,
    /** `platform` is what answers name as the place where speech is made. */
    speech: backend.extend({ model: modelName, platform: z.string().min(1) }),
  }),
  /** The messaging platform whose webhook the service answers. */
  messaging: z.object({
    /** Of the Graph API, without the version. */
    apiUrl: z.url(),
    apiVersion: z.string().regex(/^v\d+\.\d+$/, { error: "A version of the Graph API looks like v26.0." }),
    /** What is done about a delivery whose signature is missing or wrong. */
    signatureMode: z.enum(["enforce", "log", "off"]),
  }),
  mailFrom: z.string().regex(senderPattern, {
    error: "A sender is an e-mail address, or a name and an address as in `Name <address>`.",
  }),
  alarmEmail: z.email().optional(),
  /** `retain` keeps data when the stacks are deleted; `destroy` is for stages that are thrown away. */
  removal: z.enum(["retain", "destroy"]),
  logRetention: z.enum(RetentionDays),
  /** What is decided about the deprecated routes of version 1. */
  legacy: legacySettings,
  /** Requests a minute from one source address, where no account can be limited. */
  limits: z.object({ anonymousPerMinute: z.int().min(1), credentialsPerMinute: z.int().min(1) }),
  /** Requests of all callers together; what one account may send is limited by the service itself. */
  throttling: z.object({ requestsPerSecond: z.int().min(1), burst: z.int().min(1) }),
});
export type StageSettings = z.infer<typeof stageSettings>;

/** Checks settings. @throws Error that names each setting that is not valid. */
export const checkStageSettings = (settings: StageSettings): StageSettings => {
  const result = stageSettings.safeParse(settings);
  if (result.success) return result.data;
  const problems = result.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
  throw new Error(`The settings of the stage are not valid. ${problems.join("; ")}`);
};
