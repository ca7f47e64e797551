import { createKey, listKeys, revokeKey, revokeKeys } from "../../shared/accounts/profile/manage-keys.ts";
import { getAccount, getProfileStatus, updateProfile } from "../../shared/accounts/profile/manage-profile.ts";
import { changePassword, forgotPassword } from "../../shared/accounts/sign-in/change-password.ts";
import { issueToken } from "../../shared/accounts/sign-in/issue-token.ts";
import { register } from "../../shared/accounts/sign-in/register.ts";
import { resendVerification } from "../../shared/accounts/sign-in/verify-email.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import type { Endpoint } from "../../shared/http/exchange.ts";
import { readIdempotencyKey } from "../../shared/http/idempotency-key.ts";
import {
  deleteAccountOperation,
  meOperation,
  profileOperation,
  profileStatusOperation,
  registerOperation,
  usageOperation,
} from "./account-contract.ts";
import {
  changePasswordOperation,
  forgotPasswordOperation,
  refreshTokenOperation,
  resendVerificationOperation,
  tokenOperation,
} from "./credentials-contract.ts";
import { deleteAccount } from "./delete-account.ts";
import type { AuthDependencies } from "./dependencies.ts";
import { exportEndpoints } from "./export-account.ts";
import { getUsage } from "./get-usage.ts";
import {
  createKeyOperation,
  listKeysOperation,
  revokeKeyOperation,
  revokeKeysOperation,
} from "./keys-contract.ts";
import { linkEndpoints } from "./link-endpoints.ts";
import { refreshToken } from "./refresh-token.ts";
import { webhookDeliveryEndpoints } from "./webhook-deliveries.ts";
import { webhookSecretEndpoints } from "./webhook-secret.ts";

/** The operations of accounts and tokens, bound to their use cases. */
export const authEndpoints = (dependencies: AuthDependencies): Endpoint[] => [
  endpoint(registerOperation, ({ body }) => register(body, dependencies)),
  endpoint(tokenOperation, ({ body, request }) => issueToken(body, request, dependencies)),
  endpoint(meOperation, ({ caller }) => getAccount(caller.userId, dependencies)),
  endpoint(deleteAccountOperation, ({ body, request: { headers, signal } }) =>
    deleteAccount({ ...body, authorization: headers["authorization"], signal }, dependencies),
  ),
  endpoint(profileOperation, ({ body, caller }) => updateProfile(caller.userId, body, dependencies)),
  endpoint(profileStatusOperation, ({ caller }) => getProfileStatus(caller.userId, dependencies)),
  ...linkEndpoints(dependencies),
  endpoint(resendVerificationOperation, ({ caller }) => resendVerification(caller.userId, dependencies)),
  endpoint(refreshTokenOperation, ({ caller, request: { headers } }) =>
    refreshToken(caller.token, dependencies, {
      idempotencyKey: readIdempotencyKey(headers),
      successor: caller.successor,
    }),
  ),
  endpoint(forgotPasswordOperation, ({ body }) => forgotPassword(body.email, dependencies)),
  endpoint(changePasswordOperation, ({ body, caller }) => changePassword(caller.userId, body, dependencies)),
  endpoint(createKeyOperation, ({ body, caller }) => createKey(caller, body, dependencies)),
  endpoint(listKeysOperation, ({ caller }) => listKeys(caller.userId, dependencies)),
  endpoint(revokeKeyOperation, ({ path, caller }) => revokeKey(caller.userId, path.id, dependencies)),
  endpoint(revokeKeysOperation, ({ caller }) => revokeKeys(caller.userId, dependencies)),
  endpoint(usageOperation, ({ query, caller }) => getUsage(caller.userId, query, dependencies)),
  ...webhookSecretEndpoints(dependencies),
  ...exportEndpoints(dependencies),
  ...webhookDeliveryEndpoints(dependencies),
];
