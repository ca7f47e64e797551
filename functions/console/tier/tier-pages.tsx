import type { TierRequests } from "../../../shared/accounts/tiers/tier-requests.ts";
import { type BoundPage, page } from "../../../shared/pages/server/page.ts";
import { redirect, shown } from "../../../shared/pages/server/responses.ts";
import { tierPage } from "./pages.ts";
import { Tier } from "./tier.tsx";

/** What this page uses. */
export interface TierDependencies {
  readonly tierRequests: Pick<TierRequests, "add" | "find">;
}

/** The page on which a Free account requests a higher tier. */
export const tierPages = ({ tierRequests }: TierDependencies): BoundPage[] => [
  page(tierPage, {
    show: async (visit) =>
      shown({ content: <Tier {...visit} sent={await tierRequests.find(visit.account.id)} /> }),
    submit: async ({ account, form }) => {
      const isNew = account.account_type === "Free" && (await tierRequests.add(account, form));
      return redirect(`/console/tier?done=${isNew ? "sent" : "open"}`);
    },
  }),
];
