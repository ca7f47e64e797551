import * as z from "zod";
import { defineFunction, service } from "../../shared/http/function-definition.ts";
import { defineOperation } from "../../shared/http/operation.ts";
import { defaultVoices } from "../../shared/platform/catalogue/voices.ts";
import { publicAddressEnvironment } from "../../shared/platform/config/environment.ts";
import { vendorsEnvironment } from "../../shared/platform/config/vendors.ts";

export const healthOperation = defineOperation({
  id: "health",
  method: "GET",
  path: "/health",
  summary: "Check that the service is running",
  tag: "Service",
  auth: "public",
  limit: "reading",
  response: {
    status: 200,
    description: "The service is running",
    schema: z
      .object({
        status: z.literal("ok").describe("Failures have another status"),
        service: z.string().meta({ example: service.name, description: "What runs here" }),
        version: z.string().meta({ example: service.apiVersion, description: "The version of the API" }),
      })
      .meta({ id: "Health" }),
  },
  errors: [],
});

export const openApiOperation = defineOperation({
  id: "openapi",
  method: "GET",
  path: "/openapi.json",
  summary: "Get the OpenAPI 3.1 document",
  tag: "Service",
  auth: "public",
  limit: "reading",
  response: {
    status: 200,
    description: "The document",
    schema: z.looseObject({
      openapi: z.string().meta({ example: "3.1.1", description: "The version of OpenAPI" }),
      info: z.looseObject({}).meta({
        example: { title: service.name, version: service.apiVersion },
        description: "Title, version and introduction of the API",
      }),
      paths: z.looseObject({}).describe("The operations, by path and method"),
    }),
  },
  errors: [],
});

export const languagesOperation = defineOperation({
  id: "languages",
  method: "GET",
  path: "/languages",
  summary: "List languages and what each supports",
  tag: "Service",
  auth: "public",
  limit: "reading",
  response: {
    status: 200,
    description: "All languages, by code",
    schema: z
      .object({
        languages: z
          .array(
            z
              .object({
                code: z.string().meta({ example: "lug", description: "ISO 639-3, except `pok` for Pokot" }),
                name: z.string().meta({
                  example: "Luganda",
                  description: "The name in English, which requests can use too",
                }),
                aliases: z.array(z.string()).meta({
                  example: ["lg", "Ganda"],
                  description:
                    "Other names that requests can use; its ISO 639-1 code comes first, if it has one",
                }),
                tasks: z.array(z.enum(["translate", "transcribe", "speech", "identify"])).meta({
                  example: ["translate", "transcribe", "speech", "identify"],
                  description: "What the service can do in this language",
                }),
                voices: z.array(z.string()).meta({
                  example: defaultVoices.slice(0, 1),
                  description: "Voices for speech; the first is the default",
                }),
              })
              .meta({ id: "Language" }),
          )
          .describe("The languages, sorted by code"),
      })
      .meta({ id: "Languages" }),
  },
  errors: [],
});
export type LanguagesResponse = z.infer<typeof languagesOperation.response.schema>;

export const docsFunction = defineFunction({
  name: "docs",
  description: "Health, the API's description and its languages",
  operations: [healthOperation, openApiOperation, languagesOperation],
  environment: { ...vendorsEnvironment, ...publicAddressEnvironment },
  memoryMegabytes: 256,
  timeoutSeconds: 10,
  // Only streaming functions can send compressed responses, and the document has 200 kB.
  transfer: "stream",
});
