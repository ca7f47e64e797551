import * as z from "zod";
import { spokenLanguages } from "../../infra/commands/release-target.ts";
import { stageSettings } from "../../infra/stage-settings.ts";

/** The tasks of models. */
export const models = ["chat", "translation", "transcription", "speech"] as const;
export type Model = (typeof models)[number];

const { shape } = stageSettings;

const modelList = z
  .string()
  .default("")
  .transform((text) => text.split(",").flatMap((name) => name.trim() || []))
  .pipe(z.array(z.enum(models)));

/** What the smoke tests have to know about a stage: its settings and voices that callers see, and the models that it does not have. */
const stageVariables = z.object({
  LEGACY_VENDOR_A: shape.LEGACY_VENDOR_A,
  LEGACY_VENDOR_B: shape.LEGACY_VENDOR_B,
  LEGACY_PROVIDER_ROUTES: shape.LEGACY_PROVIDER_ROUTES,
  MESSAGING_SIGNATURE_MODE: shape.MESSAGING_SIGNATURE_MODE,
  /** The codes of the languages that have voices: a stage can have its own. */
  SPOKEN_LANGUAGES: z
    .string()
    .default(spokenLanguages({}).join(","))
    .transform((codes) => codes.split(",")),
  /** Models that are not configured in the stage, or are known to be down, such as `speech,transcription`. */
  SMOKE_WITHOUT: modelList,
});

/** The stage under test. */
export const stage = stageVariables.parse(process.env);

/** Whether the stage lacks one of these models. */
export const lacks = (...needed: readonly Model[]): boolean =>
  needed.some((model) => stage.SMOKE_WITHOUT.includes(model));

/** Whether the stage has no voice for one of these languages. */
export const isMute = (...languages: readonly string[]): boolean =>
  languages.some((code) => !stage.SPOKEN_LANGUAGES.includes(code));
