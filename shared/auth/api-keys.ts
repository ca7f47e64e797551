/** What a key may be made for; one that is made for nothing in particular may do all of it. */
export const scopes = ["translate", "language", "transcribe", "speech", "chat", "upload", "jobs"] as const;
export type Scope = (typeof scopes)[number];
