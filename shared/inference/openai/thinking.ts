/** A text without its think-blocks; one that is never closed reaches to the end. */
export const withoutThinking = (text: string): string =>
  text.replaceAll(/<think>[\s\S]*?(?:<\/think>|$)/g, "");
