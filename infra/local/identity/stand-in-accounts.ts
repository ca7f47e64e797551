/** An account that only exists at the stand-ins. */
interface StandInAccount {
  readonly name: string;
  readonly email: string;
  readonly emailVerified: boolean;
}

/** The password of all test accounts, which the login page shows. */
export const standInPassword = "stand-in";

/** The test accounts by their usernames. The form shows the first one. */
export const standInAccounts: Readonly<Record<string, StandInAccount>> = {
  nambi: { name: "Nambi Grace", email: "nambi.grace@example.com", emailVerified: true },
  acen: { name: "Acen Mary", email: "acen.mary@example.com", emailVerified: true },
  auma: { name: "Auma Rose", email: "auma.rose@example.com", emailVerified: true },
  lanyero: { name: "Lanyero Jane", email: "lanyero.jane@example.com", emailVerified: true },
  okello: { name: "Okello James", email: "okello.james@example.com", emailVerified: false },
};
