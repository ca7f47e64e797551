/** The message cannot be finished now; nothing is lost, and another try makes sense after so many seconds. */
export class RetryLater extends Error {
  override readonly name = "RetryLater";
  readonly seconds: number;

  constructor(seconds: number, reason: string) {
    super(reason);
    this.seconds = seconds;
  }
}

/** Another try has taken over, or the person was forgotten meanwhile: there is nothing more to be done here. */
export class LostClaim extends Error {
  override readonly name = "LostClaim";

  constructor(options?: ErrorOptions) {
    super("The message is no longer this worker's.", options);
  }
}
