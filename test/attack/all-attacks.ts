import { accountAttacks } from "./accounts.ts";
import type { Attack } from "./attack.ts";
import { bodyAttacks } from "./bodies.ts";
import { consoleAttacks } from "./console.ts";
import { costAttacks } from "./costs.ts";
import { documentAttacks } from "./documents.ts";
import { jobAttacks } from "./jobs.ts";
import { keyAttacks } from "./keys.ts";
import { limitAttacks } from "./limits.ts";
import { localAttacks } from "./local.ts";
import { messagingAttacks } from "./messaging.ts";
import { modelAttacks } from "./models.ts";
import { otherSettingsAttacks } from "./other-settings.ts";
import { ownershipAttacks } from "./ownership.ts";
import { recordingAttacks } from "./recordings.ts";
import { sessionAttacks } from "./sessions.ts";
import { uploadAttacks } from "./uploads.ts";

/** Everything that was tried once and must never work again, in the order of its numbers. */
export const allAttacks: readonly Attack[] = [
  ...bodyAttacks,
  ...accountAttacks,
  ...messagingAttacks,
  ...modelAttacks,
  ...costAttacks,
  ...keyAttacks,
  ...jobAttacks,
  ...otherSettingsAttacks,
  ...uploadAttacks,
  ...recordingAttacks,
  ...consoleAttacks,
  ...limitAttacks,
  ...ownershipAttacks,
  ...sessionAttacks,
  ...localAttacks,
  ...documentAttacks,
].toSorted((one, other) => one.number - other.number);
