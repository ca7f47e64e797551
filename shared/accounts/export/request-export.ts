import * as z from "zod";
import { AppError } from "../../platform/errors/app-error.ts";
import type { LinkedObjectStore } from "../../platform/storage/object-store.ts";
import { type ConfirmDependencies, confirmAct, type GivenProof } from "../sign-in/confirm-act.ts";
import type { SignInDependencies } from "../sign-in/dependencies.ts";
import type { ExportQueue } from "./export-queue.ts";
import { type ExportsRepository, exportObject, type StoredExport } from "./exports-repository.ts";

/** An export of an account, as the API returns it. */
export const accountExport = z
  .object({
    status: z
      .enum(["preparing", "ready", "failed"])
      .describe("`preparing` for seconds, or minutes with much audio; after `failed`, request another one"),
    requested_at: z.iso.datetime().describe("When it was requested: later data is not in it"),
    size: z
      .int()
      .nullable()
      .meta({ example: 1_048_576, description: "The size of the archive in bytes; null until it is ready" }),
    expires_at: z.iso.datetime().describe("When the archive is deleted"),
    url: z
      .url()
      .nullable()
      .meta({
        example: "https://audio.example.com/exports/1/3f0a2c1e.zip?X-Amz-Signature=0a1b2c3d",
        description:
          "A link to the ZIP archive, without other credentials; null until it is ready. It takes ranges, so a download that " +
          "broke off can be continued, also with a later link",
      }),
    url_expires_at: z.iso
      .datetime()
      .nullable()
      .describe("When the link ends; another request returns a fresh one"),
  })
  .meta({ id: "AccountExport" });
export type AccountExport = z.infer<typeof accountExport>;

/** What exports need. */
export interface ExportDependencies extends Pick<SignInDependencies, "accounts">, ConfirmDependencies {
  readonly accounts: SignInDependencies["accounts"];
  readonly exports: Pick<ExportsRepository, "begin" | "fail" | "find">;
  readonly exportQueue: ExportQueue;
  readonly store: Pick<LinkedObjectStore, "signDownload">;
}

const toExport = async (
  userId: number,
  stored: StoredExport,
  store: ExportDependencies["store"],
): Promise<AccountExport> => {
  const day = stored.requested_at.slice(0, 10);
  const link =
    stored.status === "ready"
      ? await store.signDownload(exportObject(userId, stored.export_id), {
          contentType: "application/zip",
          fileName: `export-${day}.zip`,
        })
      : undefined;
  return {
    status: stored.status,
    requested_at: stored.requested_at,
    size: stored.status === "ready" ? (stored.size ?? null) : null,
    expires_at: new Date(stored.expires_at * 1_000).toISOString(),
    url: link?.url ?? null,
    url_expires_at: link?.expiresAt.toISOString() ?? null,
  };
};

/**
 * Starts an export of everything that is stored about an account, after its owner has confirmed it.
 *
 * @throws AppError as `confirmAct`; `service_unavailable` when the queue does not accept it.
 */
export const requestExport = async (
  userId: number,
  proof: GivenProof,
  { exports, exportQueue, store, ...dependencies }: ExportDependencies,
): Promise<AccountExport> => {
  await confirmAct(userId, proof, dependencies);
  const { stored, isNew } = await exports.begin(userId);
  if (isNew) {
    try {
      await exportQueue.send({ userId, exportId: stored.export_id });
    } catch (error) {
      // Otherwise the next request would wait for a worker that knows nothing.
      await exports.fail(userId, stored.export_id);
      throw new AppError("service_unavailable", { cause: error });
    }
  }
  return toExport(userId, stored, store);
};

/** Returns the last export of an account, with a fresh link. `undefined` when there is none. */
export const findExport = async (
  userId: number,
  { exports, store }: Pick<ExportDependencies, "exports" | "store">,
): Promise<AccountExport | undefined> => {
  const stored = await exports.find(userId);
  return stored && toExport(userId, stored, store);
};
