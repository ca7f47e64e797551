/** How long a streamed answer is, and how fast it comes: two seconds and a half in all. */
export const streamedTokens = 100;
export const tokenPauseMilliseconds = 25;
