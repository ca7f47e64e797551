/** Somebody who exists at a stand-in only. */
interface StandInAccount {
  readonly name: string;
  readonly email: string;
  readonly emailVerified: boolean;
}

/** Everybody's password: who reads the page may sign in. */
export const standInPassword = "stand-in";

/** Whom one can be at the stand-ins, by their log-in. The first is in the form. */
export const standInAccounts: Readonly<Record<string, StandInAccount>> = {
  nambi: { name: "Nambi Grace", email: "nambi.grace@example.com", emailVerified: true },
  okello: { name: "Okello James", email: "okello.james@example.com", emailVerified: false },
};
