/** How long a streamed response is, and how fast it comes: ten seconds in all, the pace of a shared model. */
export const streamedTokens = 100;
export const tokenPauseMilliseconds = 100;
