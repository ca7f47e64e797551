/** The limits of a stage, as functions read them. */
export const limitsText = JSON.stringify({
  anonymousPerMinute: 50,
  credentialsPerMinute: 10,
  unverifiedQuotaShare: 1,
  multiplier: 1,
  freeCharactersPerMonth: 500_000,
  premiumCharactersPerMonth: 10_000_000,
});
