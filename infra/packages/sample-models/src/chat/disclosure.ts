/** The sentence in every free answer that says what is speaking. */
export const disclosure = "This is the sample server, not a language model.";

/** How to get real answers, as the end of a sentence. */
export const connectHint = "connect a real model with CHAT_BASE_URL";

/** A text as a short quotation: white space as single spaces, cut after so many characters. */
export function quote(text: string, longest = 160): string {
  const characters = Array.from(text.replace(/\s+/gu, " ").trim());
  const gist = characters.length <= longest ? characters : [...characters.slice(0, longest - 1), "…"];
  return `"${gist.join("")}"`;
}
