import { attachmentNamed } from "../../../shared/http/attachment.ts";
import { type BoundPage, page } from "../../../shared/pages/server/page.ts";
import { redirect, sentFile, shown } from "../../../shared/pages/server/responses.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";
import { type DeleteDependencies, deleteJob } from "../../../shared/recordings/jobs/delete-job.ts";
import { getResult } from "../../../shared/recordings/jobs/get-result.ts";
import { isOver } from "../../../shared/recordings/jobs/job.ts";
import type { JobsRepository } from "../../../shared/recordings/jobs/jobs-repository.ts";
import type { ResultDependencies } from "../../../shared/recordings/jobs/result-query.ts";
import { Documents } from "./documents.tsx";
import { documentFilePage, documentsPage } from "./pages.ts";

/** What these pages use. */
export interface DocumentsDependencies extends DeleteDependencies {
  readonly jobs: JobsRepository;
  readonly store: ResultDependencies["store"];
}

/** How many documents one page lists. */
const maxListed = 20;

/** How often the page reloads without JavaScript while a document is translated. */
const refreshSeconds = 10;

const list = (dependencies: DocumentsDependencies): BoundPage =>
  page(documentsPage, {
    show: async (visit) => {
      const { account, query } = visit;
      // One more than is shown reveals whether there are older ones.
      const found = await dependencies.jobs.listTranslations(account.id, maxListed + 1, query.before);
      const jobs = found.slice(0, maxListed);
      const older = found.length > maxListed ? jobs.at(-1)?.id : undefined;
      return shown({
        content: <Documents {...visit} jobs={jobs} older={older} />,
        refreshSeconds: jobs.every(isOver) ? undefined : refreshSeconds,
      });
    },
    submit: async ({ account, form }) => {
      await deleteJob({ userId: account.id, jobId: form.id }, dependencies);
      return redirect(`${documentsPage.path}?done=deleted`);
    },
  });

const file = (dependencies: DocumentsDependencies): BoundPage =>
  page(documentFilePage, {
    show: async ({ account, path }) => {
      const name = { userId: account.id, jobId: path["id"] ?? "" };
      const result = await getResult(name, { partial: true }, dependencies);
      if (!("contentType" in result) || result.fileName === undefined) {
        throw new AppError("not_found", { message: "There is no such document." });
      }
      return sentFile({
        // Browsers save it. An account's HTML is never a page of this origin.
        contentType: "application/octet-stream",
        body: result.body,
        headers: { "Content-Disposition": attachmentNamed(result.fileName) },
      });
    },
  });

/** Documents to translate: the list with its upload form, and the files. */
export const documentsPages = (dependencies: DocumentsDependencies): BoundPage[] => [
  list(dependencies),
  file(dependencies),
];
