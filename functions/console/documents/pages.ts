import * as z from "zod";
import { definePage } from "../../../shared/pages/server/define-page.ts";
import { documentsPath } from "../playground/head.tsx";

export const documentsPage = definePage({
  id: "documents",
  path: documentsPath,
  audience: "signed-in",
  title: ({ documents }) => documents.title,
  query: z.object({
    done: z.literal("deleted").optional().catch(undefined),
    /** A job ID: lists older jobs only. */
    before: z.string().max(100).optional().catch(undefined),
  }),
  form: z.object({ action: z.literal("delete"), id: z.string().max(100) }),
  scripts: ["upload", "recording"],
  styles: ["playground", "recordings"],
  reaches: ["storage"],
});

export const documentFilePage = definePage({
  id: "documentFile",
  path: `${documentsPath}/{id}/file`,
  audience: "signed-in",
  title: ({ documents }) => documents.title,
});
