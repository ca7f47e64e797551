/**
 * Normalises a password before it is measured, hashed or compared: the OpaqueString profile of PRECIS (RFC 8265, section
 * 4.2). The same letters are the same password, however a keyboard composes them. Case, width and blanks stay, so passwords
 * that look different stay different.
 */
export const normalisePassword = (password: string): string =>
  password.replaceAll(/\p{Zs}/gu, " ").normalize("NFC");

/**
 * What RFC 8264 excludes from its FreeformClass (sections 4.3 and 9): what is not a character, is invisible, or has another
 * spelling. We leave out its rules for characters that depend on their neighbours: they are for names that look alike, and
 * would refuse most combined emoji.
 */
const disallowed =
  /(?!\p{Join_Control})[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u{1100}-\u{11ff}\u{a960}-\u{a97c}\u{d7b0}-\u{d7fb}\u{640}\u{7fa}\u{302e}\u{302f}\u{3031}-\u{3035}\u{303b}]/u;

/** Whether a normalised password has only characters that people can see and type again. */
export const isTypable = (password: string): boolean => !disallowed.test(password);
