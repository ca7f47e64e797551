/** The other case of letters, so that what changed can be seen. Tags stay. */
export const swapCase = (text: string): string =>
  text.replaceAll(/<\/?\d+\/?>|(\p{Lu})|(\p{Ll})/gu, (found, upper?: string, lower?: string) =>
    upper ? upper.toLowerCase() : lower ? lower.toUpperCase() : found,
  );
