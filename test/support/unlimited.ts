import type { Limiter } from "../../shared/limits/limiter.ts";

/** Admits every request, for tests of everything else. */
export const unlimited: Limiter = {
  admit: async () => ({
    statuses: [{ window: "minute", limit: 50, remaining: 49, resetSeconds: 60 }],
    refusal: undefined,
  }),
  admitTasks: async (admission) => admission,
  refund: async (admission) => admission,
};
