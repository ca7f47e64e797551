import * as z from "zod";
import { defineOperation } from "../../shared/http/operation.ts";
import { linkToken, outcome } from "./fields.ts";

const tag = "Accounts and tokens";

export const verifyEmailOperation = defineOperation({
  id: "verifyEmail",
  method: "GET",
  path: "/auth/verify-email",
  summary: "Landing address of the verification link",
  description:
    "Answers with a small page when the caller prefers HTML, with JSON otherwise. Works once, for 24 hours.",
  tag,
  auth: "public",
  limit: "credentials",
  query: z.object({ token: linkToken }),
  response: {
    status: 200,
    description: "The address is verified",
    schema: outcome,
    otherContentTypes: ["text/html"],
  },
  errors: ["invalid_link"],
  confidential: true,
});

export const resendVerificationOperation = defineOperation({
  id: "resendVerification",
  method: "POST",
  path: "/auth/resend-verification",
  summary: "Send the verification mail again",
  tag,
  auth: "user",
  limit: "account",
  response: { status: 200, description: "Whether a mail is on its way", schema: outcome },
  errors: [],
  confidential: true,
});
