import * as z from "zod";
import { defineOperation } from "../../shared/http/operation.ts";
import { languageForms } from "../../shared/platform/catalogue/languages.ts";
import {
  allVoices,
  defaultSynthesisLanguage,
  defaultVoices,
} from "../../shared/platform/catalogue/voices.ts";
import { text } from "../../shared/platform/validation/fields.ts";

const exampleVoices = defaultVoices.slice(0, 2);

const voiceCatalog = z
  .object({
    default: z.string().meta({
      example: defaultVoices[0],
      description: "The voice when a request names neither voice nor language",
    }),
    by_language: z.record(z.string(), z.array(z.string())).meta({
      example: { [defaultSynthesisLanguage]: exampleVoices },
      description: "The voices of each language, by its code; the first is its default",
    }),
    total: z.int().meta({ example: allVoices.length, description: "The number of voices" }),
    languages: z
      .array(z.string())
      .meta({ example: [defaultSynthesisLanguage], description: "The codes of all languages of speech" }),
  })
  .meta({ id: "VoiceCatalog" });
const languageVoices = z
  .object({
    language: z.string().meta({ example: defaultSynthesisLanguage, description: "The code of the language" }),
    speakers: z.array(z.string()).meta({
      example: exampleVoices,
      description: "The voices of the language; the first is its default",
    }),
    count: z.int().meta({ example: exampleVoices.length, description: "The number of voices" }),
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
    language: text()
      .max(100)
      .optional()
      .meta({ example: defaultSynthesisLanguage, description: languageForms }),
  }),
  response: { status: 200, description: "The tags of the voices", schema: voicesResponse },
  errors: ["unknown_language"],
});
