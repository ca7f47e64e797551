/** How long a streamed answer is, and how fast it comes: ten seconds in all, the pace of a model that many share. */
export const streamedTokens = 100;
export const tokenPauseMilliseconds = 100;
