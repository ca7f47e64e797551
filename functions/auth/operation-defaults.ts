const common = { tag: "Accounts and tokens", errors: [], confidential: true } as const;

/** What operations on the caller's own account declare. */
export const ofAccount = { ...common, auth: "user", limit: "account" } as const;

/** What public operations with a password, a link or a registration declare. */
export const withCredentials = { ...common, auth: "public", limit: "credentials" } as const;
