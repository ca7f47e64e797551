import * as z from "zod";
import { defineOperation } from "../../shared/http/operation.ts";
import { languageForms } from "../../shared/platform/catalogue/languages.ts";
import { text } from "../../shared/platform/validation/fields.ts";

const voiceCatalog = z
  .object({
    default: z.string().meta({ example: "salt_lug_0001" }),
    by_language: z
      .record(z.string(), z.array(z.string()))
      .meta({ example: { lug: ["salt_lug_0001", "salt_lug_0002"] } }),
    total: z.int().meta({ example: 48 }),
    languages: z.array(z.string()).meta({ example: ["lug"] }),
  })
  .meta({ id: "VoiceCatalog" });
const languageVoices = z
  .object({
    language: z.string().meta({ example: "lug" }),
    speakers: z.array(z.string()).meta({ example: ["salt_lug_0001", "salt_lug_0002"] }),
    count: z.int().meta({ example: 2 }),
  })
  .meta({ id: "LanguageVoices" });
export const voicesResponse = z.union([voiceCatalog, languageVoices]);
export type VoicesResponse = z.infer<typeof voicesResponse>;

export const voicesOperation = defineOperation({
  id: "listVoices",
  method: "GET",
  path: "/tasks/voice/speakers",
  summary: "List the voices, of all languages or one",
  tag: "Speech",
  auth: "user",
  scope: "speech",
  limit: "account",
  query: z.object({
    language: text().max(100).optional().meta({ example: "lug", description: languageForms }),
  }),
  response: { status: 200, description: "The tags of the voices", schema: voicesResponse },
  errors: ["unknown_language"],
});
