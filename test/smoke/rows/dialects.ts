import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { deleteJobOperation, listJobsOperation } from "../../../functions/jobs/contract.ts";
import * as documents from "../../../functions/jobs/deepl/contract.ts";
import { libreTranslateFileOperation } from "../../../functions/jobs/libretranslate/contract.ts";
import * as deepl from "../../../functions/translate/deepl/contract.ts";
import * as glossaries from "../../../functions/translate/deepl/glossaries-contract.ts";
import * as libre from "../../../functions/translate/libretranslate/contract.ts";
import type { JsonResponse } from "../../support/client.ts";
import { formData } from "../../support/multipart.ts";
import { type Row, send } from "../row.ts";
import { Created, deleteAtEnd, key } from "../run.ts";
import { lacks } from "../stage.ts";

const headers = { Authorization: `DeepL-Auth-Key ${key}` };

const file = (): File => new File(["Thank you\n"], "smoke.txt");

const handle = new Created<{ document_id: string; document_key: string }>("document");

const ofDocument = (rest = "") => {
  const { document_id: id, document_key } = handle.get();
  return { headers, path: `${documents.deeplDocumentOperation.path}/${id}${rest}`, body: { document_key } };
};

/** Polls with pauses that grow, within the limits of the account. */
const whenFinished = async (first: JsonResponse): Promise<JsonResponse> => {
  let response = first;
  for (let pause = 500; /queued|translating/.test(response.body.status); pause *= 1.5) {
    await sleep(pause);
    response = await send(documents.deeplDocumentStatusOperation, ofDocument());
  }
  return response;
};

/** What clients of DeepL call. */
export const deeplRows: readonly Row[] = [
  {
    operation: deepl.deeplTranslateOperation,
    needs: ["translation"],
    request: () => ({ headers, body: { text: ["Thank you"], target_lang: "LG" } }),
    onSuccess: ({ body }) => expect(body.translations).toHaveLength(1),
  },
  { operation: deepl.deeplLanguagesOperation, request: () => ({ headers, query: "?type=target" }) },
  { operation: deepl.deeplPostLanguagesOperation, request: () => ({ headers, body: { type: "source" } }) },
  { operation: deepl.deeplUsageOperation, request: () => ({ headers }) },
  { operation: glossaries.deeplGlossaryPairsOperation, request: () => ({ headers }) },
  { operation: glossaries.deeplGlossariesOperation, request: () => ({ headers }) },
  { operation: glossaries.deeplThirdGlossariesOperation, request: () => ({ headers }) },
  {
    operation: documents.deeplDocumentOperation,
    request: () => ({ headers, body: formData({ file: file(), target_lang: "LG" }) }),
    onSuccess: ({ body }) => {
      handle.set(body);
      const path = `${listJobsOperation.path}/${body.document_id}`;
      deleteAtEnd("the document", () => send(deleteJobOperation, { token: key, path }));
    },
  },
  {
    operation: documents.deeplDocumentStatusOperation,
    request: () => ofDocument(),
    onSuccess: async (response) => {
      if (!lacks("translation")) expect((await whenFinished(response)).body.status).toBe("done");
    },
  },
  {
    operation: documents.deeplDocumentResultOperation,
    needs: ["translation"],
    withoutModel: [503, "job_not_completed"],
    contentType: "text/plain",
    request: () => ofDocument("/result"),
  },
];

/** What clients of LibreTranslate call. */
export const libreTranslateRows: readonly Row[] = [
  {
    operation: libre.libreTranslateOperation,
    needs: ["translation"],
    request: () => ({ body: { q: "Thank you", source: "auto", target: "lg", api_key: key } }),
  },
  {
    operation: libre.libreDetectOperation,
    request: () => ({ body: { q: "Webale nnyo, ssebo. Oli otya?", api_key: key } }),
    onSuccess: ({ body }) => expect(body[0].language).toBe("lg"),
  },
  { operation: libre.libreLanguagesOperation, request: () => ({}) },
  { operation: libre.libreSettingsOperation, request: () => ({}) },
  {
    operation: libreTranslateFileOperation,
    needs: ["translation"],
    request: () => ({ body: formData({ file: file(), source: "en", target: "lg", api_key: key }) }),
    onSuccess: async ({ body }) => expect((await fetch(body.translatedFileUrl)).status).toBe(200),
  },
];
