import { callerWith } from "../../shared/accounts/access/caller.ts";
import type { Limiter } from "../../shared/accounts/limits/limiter.ts";

/** Admits every request, for tests of everything else; every token is that of a free account. */
export const unlimited: Limiter = {
  admit: async (request) => ({
    statuses: [{ window: "minute", limit: 50, remaining: 49, resetSeconds: 60 }],
    refusal: undefined,
    ...("credential" in request ? { caller: callerWith(request.credential, { account_type: "Free" }) } : {}),
  }),
  admitTasks: async (admission) => admission,
  refund: async (admission) => admission,
  release: async () => undefined,
};
