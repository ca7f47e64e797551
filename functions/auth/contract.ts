import * as z from "zod";
import {
  credentialsLimitEnvironment,
  mailQueueEnvironment,
  tableEnvironment,
  tokenEnvironment,
} from "../../shared/config/environment.ts";
import { defineFunction } from "../../shared/config/function-definition.ts";
import {
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

export const authFunction = defineFunction({
  name: "auth",
  description: "Accounts, passwords and tokens",
  operations: [
    registerOperation,
    tokenOperation,
    meOperation,
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
  ],
  environment: z.object({
    ...tableEnvironment,
    ...tokenEnvironment,
    ...mailQueueEnvironment,
    ...credentialsLimitEnvironment,
    /** 0 means that tokens do not expire. */
    TOKEN_LIFETIME_DAYS: z.coerce.number().int().min(0),
  }),
  // Argon2id needs 19 MiB a hash; CPU share grows with memory and decides how long a login takes.
  memoryMegabytes: 1024,
  timeoutSeconds: 15,
  transfer: "buffered",
});
