/** The event that a release's check sends to functions that work on a schedule. */
export const releaseCheckEvent = { source: "release-check" } as const;

/** Whether an event only checks that a function starts: it must do nothing else. */
export const isReleaseCheck = (event: unknown): boolean =>
  typeof event === "object" &&
  event !== null &&
  "source" in event &&
  event.source === releaseCheckEvent.source;
