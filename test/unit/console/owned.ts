import { accountPage } from "../../../functions/console/account/pages.ts";
import type { ListedKeys } from "../../../shared/accounts/profile/manage-keys.ts";
import type { Usage, UsedOperation } from "../../../shared/accounts/usage/usage.ts";
import { type StoredTranscription, transcriptionItem } from "../../../shared/recordings/jobs/job.ts";

const resets_at = "2026-12-01T00:00:00.000Z";
const quota = { used: 0, limit: 50, remaining: 50, resets_at };

/** The usage of an account that has sent nothing yet. */
export const usage: Usage = {
  account_type: "Free",
  per_minute_limit: 50,
  today: { date: "2026-11-20", ...quota },
  this_month: { month: "2026-11", ...quota },
  recordings_this_month: quota,
  characters_this_month: quota,
  once_verified: null,
  from: "2026-11-19",
  to: "2026-11-20",
  days: [],
};

/** A key of the account. */
export const key: ListedKeys["keys"][number] = {
  id: "k1",
  name: "kiosk",
  prefix: "lai_0123",
  scopes: ["translate"],
  created_at: "2026-11-20T10:00:00.000Z",
  expires_at: null,
  last_used_at: null,
  monthly_limit: null,
  requests_per_minute: null,
  used_this_month: 0,
};

/** A day's requests of one path with this key. */
export const used: UsedOperation = {
  method: "POST",
  path: "/tasks/translate",
  key: key.id,
  requests: 2,
  errors: 1,
  characters: 3,
  prompt_tokens: 1,
  completion_tokens: 3,
  tokens: 4,
  audio_seconds: 5,
};

/** A recording of 75 minutes that is transcribed. */
export const job: StoredTranscription = transcriptionItem.parse({
  id: "019ab0c4-5e5e-7c3a-9f0e-2f1d3c4b5a69",
  user_id: 7,
  status: "completed",
  created_at: "2026-11-20T10:00:00.000Z",
  file_id: "file",
  language: "lug",
  timestamps: true,
  object_key: "uploads/7/file/council.wav",
  object_version: "1",
  facts: {
    container: "wav",
    mediaType: "audio/wav",
    fileExtension: "wav",
    codec: "pcm",
    durationSeconds: 4_500,
  },
  audio_milliseconds: 4_500_000,
  day: 20_777,
  expires_at: 1_797_800_000,
});

if (!accountPage.query) throw new Error("The page of an account reads its query.");

/** What the page of an account shows, for one that has no more than a password. */
export const settings = {
  termsVersion: "2026-11-24",
  sessions: [],
  identities: [],
  providers: [],
  query: accountPage.query.parse({}),
};
