/** Tests over HTTP by a word in the mutated file's path; those that look at everything come last. */
export const overHttp: readonly (readonly [RegExp, readonly string[]])[] = [
  [
    /auth|account|sign-in/,
    [
      "test/conformance/accounts.test.ts",
      "test/conformance/token-security.test.ts",
      "test/integration/mailed-links.test.ts",
      "test/integration/refresh.test.ts",
    ],
  ],
  [/keys|access/, ["test/conformance/keys.test.ts", "test/integration/api-keys.test.ts"]],
  [
    /eras|delete|wiring|owned-items/,
    [
      "test/conformance/account-deletion.test.ts",
      "test/integration/erase-account.test.ts",
      "test/integration/erase-due-accounts.slow.test.ts",
      "test/integration/stored-kinds.test.ts",
    ],
  ],
  [
    /jobs|job-worker|recordings|transcripts/,
    [
      "test/conformance/jobs.test.ts",
      "test/integration/jobs.test.ts",
      "test/integration/faults-jobs.slow.test.ts",
      "test/conformance/ownership.slow.test.ts",
    ],
  ],
  [/export|wiring|stored-kinds/, ["test/conformance/export.slow.test.ts"]],
  [/callback/, ["test/integration/callback-slots.test.ts", "test/conformance/jobs.test.ts"]],
  [
    /upload|parts/,
    [
      "test/conformance/uploads.test.ts",
      "test/conformance/parted-uploads.test.ts",
      "test/integration/uploads.test.ts",
      "test/integration/object-parts.test.ts",
    ],
  ],
  [
    /idempoten/,
    [
      "test/integration/idempotency.test.ts",
      "test/integration/idempotency-killed.slow.test.ts",
      "test/conformance/idempotency.test.ts",
    ],
  ],
  [
    /identit|sessions|first-proof/,
    [
      "test/integration/sessions.test.ts",
      "test/integration/identities.test.ts",
      "test/integration/enter-with-identity.slow.test.ts",
      "test/integration/open-id-provider.slow.test.ts",
      "test/integration/plain-provider.test.ts",
      "test/integration/local/identity.test.ts",
      "test/conformance/identity.slow.test.ts",
    ],
  ],
  [
    /console/,
    [
      "test/integration/console/identity-pages.test.ts",
      "test/integration/console/link-pages.test.ts",
      "test/conformance/console.slow.test.ts",
      "test/conformance/console-account.slow.test.ts",
      "test/conformance/console-recordings.slow.test.ts",
      "test/conformance/documentation-pages.slow.test.ts",
    ],
  ],
  [/playground/, ["test/conformance/playground.test.ts", "test/integration/visitor-attempts.slow.test.ts"]],
  // Scripts of pages, and what only they read, are seen by a browser alone.
  [
    /console\//,
    [
      "test/browser/account.slow.test.ts",
      "test/browser/first-minute.test.ts",
      "test/browser/pages.slow.test.ts",
    ],
  ],
  [/playground|console\/client/, ["test/browser/playground.test.ts", "test/browser/recordings.test.ts"]],
  [
    /storage/,
    [
      "test/integration/object-store.test.ts",
      "test/integration/silent-store.slow.test.ts",
      "test/integration/limits.test.ts",
    ],
  ],
  [
    /limit/,
    [
      "test/conformance/limits.slow.test.ts",
      "test/integration/admission.test.ts",
      "test/integration/limits.test.ts",
      "test/integration/limits-passwords.slow.test.ts",
    ],
  ],
  [/usage|quota/, ["test/integration/usage.test.ts"]],
  [/chat|inference/, ["test/conformance/chat.test.ts", "test/integration/chat.test.ts"]],
  [
    /translat|language/,
    [
      "test/conformance/translation.test.ts",
      "test/conformance/translation-lists.test.ts",
      "test/conformance/language.test.ts",
    ],
  ],
  [/speech|audio|storage/, ["test/conformance/speech.slow.test.ts", "test/integration/speech.test.ts"]],
  [
    /transcri|storage|audio/,
    [
      "test/conformance/transcription.test.ts",
      "test/conformance/v1-transcription.test.ts",
      "test/integration/transcription.slow.test.ts",
    ],
  ],
  [/legacy/, ["test/conformance/legacy.test.ts", "test/integration/saved-transcriptions.test.ts"]],
  [
    /messag|webhook|queue/,
    ["test/conformance/messaging.slow.test.ts", "test/integration/messaging/exactly-once.slow.test.ts"],
  ],
  [
    /./,
    [
      "test/conformance/service.test.ts",
      "test/conformance/hostile-requests.test.ts",
      "test/integration/faults.slow.test.ts",
    ],
  ],
];
