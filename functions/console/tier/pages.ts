import * as z from "zod";
import { definePage } from "../../../shared/pages/server/define-page.ts";
import { text } from "../../../shared/platform/validation/fields.ts";

export const tierPage = definePage({
  id: "tier",
  path: "/console/tier",
  audience: "signed-in",
  title: ({ tier }) => tier.title,
  query: z.object({ done: z.enum(["sent", "open"]).optional().catch(undefined) }),
  form: z.object({
    purpose: text().trim().min(10).max(2_000),
    amount: text().trim().min(1).max(500),
  }),
  styles: ["account"],
});
