import * as z from "zod";
import { defineFunction } from "../../shared/http/function-definition.ts";
import {
  bucketEnvironment,
  callbackQueueEnvironment,
  callbackRulesEnvironment,
  exportQueueEnvironment,
  limitsEnvironment,
  mailQueueEnvironment,
  secondFactorEnvironment,
  tableEnvironment,
  termsEnvironment,
  tokenEnvironment,
} from "../../shared/platform/config/environment.ts";
import { vendorsEnvironment } from "../../shared/platform/config/vendors.ts";
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
  resetPasswordOperation,
  showResetPageOperation,
  showVerificationPageOperation,
  tokenOperation,
  verifyEmailOperation,
} from "./credentials-contract.ts";
import { exportFileOperation, exportOperation, requestExportOperation } from "./export-contract.ts";
import {
  createKeyOperation,
  listKeysOperation,
  revokeKeyOperation,
  revokeKeysOperation,
} from "./keys-contract.ts";
import {
  resendWebhookOperation,
  testWebhookOperation,
  webhookDeliveriesOperation,
} from "./webhook-deliveries.ts";
import { replaceWebhookSecretOperation, webhookSecretOperation } from "./webhook-secret.ts";

export const authFunction = defineFunction({
  name: "auth",
  description: "Accounts, passwords, tokens and keys",
  operations: [
    registerOperation,
    tokenOperation,
    meOperation,
    deleteAccountOperation,
    requestExportOperation,
    exportOperation,
    exportFileOperation,
    profileOperation,
    profileStatusOperation,
    showVerificationPageOperation,
    verifyEmailOperation,
    showResetPageOperation,
    resendVerificationOperation,
    refreshTokenOperation,
    forgotPasswordOperation,
    resetPasswordOperation,
    changePasswordOperation,
    usageOperation,
    createKeyOperation,
    listKeysOperation,
    revokeKeyOperation,
    revokeKeysOperation,
    webhookSecretOperation,
    replaceWebhookSecretOperation,
    webhookDeliveriesOperation,
    resendWebhookOperation,
    testWebhookOperation,
  ],
  environment: {
    ...tableEnvironment,
    ...limitsEnvironment,
    ...tokenEnvironment,
    ...secondFactorEnvironment,
    ...mailQueueEnvironment,
    ...exportQueueEnvironment,
    ...bucketEnvironment,
    ...vendorsEnvironment,
    ...termsEnvironment,
    ...callbackQueueEnvironment,
    ...callbackRulesEnvironment,
    /** 0 means that tokens do not expire. */
    TOKEN_LIFETIME_DAYS: z.coerce.number().int().min(0),
  },
  // Argon2id needs 19 MiB a hash; CPU share grows with memory and decides how long a login takes.
  memoryMegabytes: 1024,
  // Deleting an account may take as long as API Gateway waits.
  timeoutSeconds: 29,
  transfer: "buffered",
});
