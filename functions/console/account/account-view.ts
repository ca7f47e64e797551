import type * as z from "zod";
import type { AccountExport } from "../../../shared/accounts/export/request-export.ts";
import type { JoinedIdentity } from "../../../shared/accounts/repositories/identities-repository.ts";
import type { Visit } from "../../../shared/pages/server/visit.ts";
import type { Session } from "../../../shared/pages/sessions/sessions-repository.ts";
import type { CallbackDelivery } from "../../../shared/recordings/callbacks/deliveries.ts";
import type { accountPage } from "./pages.ts";

/** Where all forms of an account are sent. */
export const accountPath = "/console/account";

export interface LinkableProvider {
  readonly letter: string;
  readonly name: string;
  readonly issuer: string;
}

/** What the pages of an account show. */
export type AccountView = Visit<z.output<NonNullable<typeof accountPage.query>>, "signed-in"> & {
  readonly sessions: readonly Session[];
  readonly identities: readonly JoinedIdentity[];
  readonly providers: readonly LinkableProvider[];
  /** The version of the terms that people accept now. */
  readonly termsVersion: string;
  /** The last export, on the page that shows it. */
  readonly lastExport?: AccountExport | undefined;
  /** The webhook secret, when its owner has requested it. */
  readonly secret?: string | undefined;
  /** The link to the export, when its owner has requested it. */
  readonly exportUrl?: string | undefined;
  /** Callbacks that were sent, on the page of webhooks. */
  readonly deliveries?: readonly CallbackDelivery[] | undefined;
};
