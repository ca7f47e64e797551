import { expect } from "vitest";
import * as account from "../../../functions/auth/account-contract.ts";
import * as credentials from "../../../functions/auth/credentials-contract.ts";
import {
  exportFileOperation,
  exportOperation,
  requestExportOperation,
} from "../../../functions/auth/export-contract.ts";
import * as keys from "../../../functions/auth/keys-contract.ts";
import {
  resendWebhookOperation,
  testWebhookOperation,
  webhookDeliveriesOperation,
} from "../../../functions/auth/webhook-deliveries.ts";
import {
  replaceWebhookSecretOperation,
  webhookSecretOperation,
} from "../../../functions/auth/webhook-secret.ts";
import type { Row } from "../row.ts";
import {
  Created,
  deleteAtEnd,
  deleteVisitor,
  isDeleted,
  ownToken,
  smokeAccount,
  visitor,
  waitForCredentialRequests,
} from "../run.ts";

const visitorName = `the account ${visitor.username}`;

/** The first rows: they let all others send their tokens. */
export const entry: readonly Row[] = [
  {
    operation: account.registerOperation,
    request: () => {
      deleteAtEnd(visitorName, deleteVisitor);
      const { username, email, password } = visitor;
      return { body: { username, email, password } };
    },
    onSuccess: waitForCredentialRequests,
  },
  {
    operation: credentials.tokenOperation,
    request: () => ({
      body: new URLSearchParams({
        username: smokeAccount.SMOKE_USERNAME,
        password: smokeAccount.SMOKE_PASSWORD,
      }),
    }),
    onSuccess: ({ body }) => ownToken.set(body.access_token),
  },
];

/** Mails cannot be read here, so the links in them cannot be followed. */
const unknownLink = { refusal: [400, "invalid_link"] } as const;
const linkToken = "A".repeat(43);

/** Operations without a token. */
export const links: readonly Row[] = [
  {
    operation: credentials.showVerificationPageOperation,
    ...unknownLink,
    request: () => ({ query: `?token=${linkToken}` }),
  },
  {
    operation: credentials.verifyEmailOperation,
    ...unknownLink,
    request: () => ({ body: { token: linkToken } }),
  },
  {
    operation: credentials.showResetPageOperation,
    ...unknownLink,
    request: () => ({ query: `?token=${linkToken}` }),
  },
  {
    operation: credentials.resetPasswordOperation,
    ...unknownLink,
    request: () => ({ body: { token: linkToken, new_password: visitor.password } }),
  },
  {
    operation: credentials.forgotPasswordOperation,
    request: () => ({ body: { email: visitor.email } }),
  },
];

const created = new Created<string>("key of the new account");

const asVisitor = () => ({ token: visitor.token.get() });
const asOwner = () => ({ token: ownToken.get() });

/** The visitor's export: the worker may still be preparing it when it is shown. */
const exports: readonly Row[] = [
  {
    operation: requestExportOperation,
    request: () => ({ ...asVisitor(), body: { password: visitor.password } }),
    onSuccess: ({ body }) => expect(["preparing", "ready"]).toContain(body.status),
  },
  { operation: exportOperation, request: asVisitor },
  {
    operation: exportFileOperation,
    refusal: [404, "not_found"],
    request: () => ({ ...asVisitor(), query: "?name=uploads%2Fno-such-file" }),
  },
];

/** What an account manages. What a release before has stored is read, and what is written is written for the new account. */
export const management: readonly Row[] = [
  ...exports,
  {
    operation: account.meOperation,
    request: asOwner,
    onSuccess: ({ body }) =>
      expect(body).toMatchObject({ username: smokeAccount.SMOKE_USERNAME, email_verified: true }),
  },
  { operation: account.profileStatusOperation, request: asOwner },
  { operation: account.usageOperation, request: asOwner },
  {
    operation: keys.listKeysOperation,
    request: asOwner,
    onSuccess: ({ body }) => {
      const prefixes: string[] = body.keys.map(({ prefix }: { prefix: string }) => prefix);
      expect(prefixes.some((prefix) => smokeAccount.SMOKE_KEY.startsWith(prefix))).toBe(true);
    },
  },
  {
    operation: account.profileOperation,
    request: () => ({ ...asVisitor(), body: { full_name: "Smoke Test" } }),
    onSuccess: ({ body }) => expect(body.full_name).toBe("Smoke Test"),
  },
  { operation: credentials.resendVerificationOperation, request: asVisitor },
  {
    operation: keys.createKeyOperation,
    request: () => ({ ...asVisitor(), body: { name: "smoke test" } }),
    onSuccess: ({ body }) => created.set(body.id),
  },
  {
    operation: keys.revokeKeyOperation,
    request: () => ({ ...asVisitor(), path: `${keys.listKeysOperation.path}/${created.get()}` }),
  },
  { operation: keys.revokeKeysOperation, request: asVisitor },
  { operation: webhookSecretOperation, request: asVisitor },
  { operation: replaceWebhookSecretOperation, request: asVisitor },
  { operation: webhookDeliveriesOperation, request: asVisitor },
  {
    operation: resendWebhookOperation,
    refusal: [404, "not_found"],
    request: () => ({ ...asVisitor(), path: "/auth/webhook-deliveries/none/resend" }),
  },
  {
    operation: testWebhookOperation,
    request: () => ({ ...asVisitor(), body: { url: "https://receiver.invalid/hook" } }),
  },
  {
    operation: credentials.refreshTokenOperation,
    request: asOwner,
    onSuccess: ({ body }) => ownToken.set(body.access_token),
  },
];

/** The last rows: they end the tokens, and delete the new account with everything that it has stored. */
export const exit: readonly Row[] = [
  {
    operation: credentials.changePasswordOperation,
    // The same password: it has to work in the next run, also when this one ends here. Tokens end, keys stay.
    request: () => ({
      ...asOwner(),
      body: { old_password: smokeAccount.SMOKE_PASSWORD, new_password: smokeAccount.SMOKE_PASSWORD },
    }),
  },
  {
    operation: account.deleteAccountOperation,
    request: () => ({ ...asVisitor(), body: { password: visitor.password } }),
    onSuccess: () => isDeleted(visitorName),
  },
];
