import * as z from "zod";
import { resetOutcomes, resetPassword } from "../../shared/accounts/sign-in/change-password.ts";
import {
  checkResetLink,
  checkVerificationLink,
  verifyEmail,
} from "../../shared/accounts/sign-in/verify-email.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import type { Endpoint } from "../../shared/http/exchange.ts";
import { wantsPage } from "../../shared/http/html.ts";
import { Reply } from "../../shared/http/response.ts";
import {
  resetPasswordOperation,
  showResetPageOperation,
  showVerificationPageOperation,
  verifyEmailOperation,
} from "./credentials-contract.ts";
import type { AuthDependencies } from "./dependencies.ts";

const sentToken = z.object({ token: z.string() });

/**
 * Redirects browsers to the console's page for the link, valid or not; programs get JSON.
 *
 * @param page a relative address: this function does not know the prefix that a stage puts before its paths.
 */
const redirectBrowsers = (created: Endpoint, page: string): Endpoint => ({
  ...created,
  prepare: (request) => {
    if (!wantsPage(request.headers["accept"])) return created.prepare(request);
    const query = new URLSearchParams(sentToken.safeParse(request.query).data);
    const headers = {
      Location: `${page}?${query}`,
      "Cache-Control": "no-store",
      "Referrer-Policy": "no-referrer",
    };
    return {
      tasks: 1,
      execute: async () =>
        new Reply({ status: 303, contentType: "text/plain; charset=utf-8", headers, body: "" }),
    };
  },
});

/** The operations behind emailed links. A GET changes nothing. */
export const linkEndpoints = (dependencies: AuthDependencies): Endpoint[] => [
  redirectBrowsers(
    endpoint(showVerificationPageOperation, ({ query }) => checkVerificationLink(query.token, dependencies)),
    "../console/verify-email",
  ),
  endpoint(verifyEmailOperation, ({ body }) => verifyEmail(body.token, dependencies)),
  redirectBrowsers(
    endpoint(showResetPageOperation, ({ query }) => checkResetLink(query.token, dependencies)),
    "../reset-password",
  ),
  endpoint(resetPasswordOperation, async ({ body, request }) => {
    const { kind } = await resetPassword(body, request.sourceAddress, dependencies);
    return resetOutcomes[kind];
  }),
];
