import { decodeEncodedWords } from "./encoded-words.ts";

/** One mailbox of an address list. */
export interface Mailbox {
  /** Decoded display name, empty when there is none. */
  readonly name: string;
  /** `local@domain` as written; not checked. */
  readonly address: string;
}

const ENTRIES = /(?:"(?:[^"\\]|\\.)*"|<[^>]*>|\([^)]*\)|[^,])+/g;
const NAME_AND_ADDRESS = /^(.*)<([^<>]*)>\s*$/s;

const parseMailbox = (entry: string): Mailbox => {
  const withoutComments = entry.replace(/("(?:[^"\\]|\\.)*")|\([^)]*\)/g, "$1").trim();
  const [, name, address] = NAME_AND_ADDRESS.exec(withoutComments) ?? [];
  if (name === undefined || address === undefined) return { name: "", address: withoutComments };
  const unquoted = name.trim().replace(/^"(.*)"$/s, (_quoted, text: string) => text.replace(/\\(.)/g, "$1"));
  return { name: decodeEncodedWords(unquoted), address: address.trim() };
};

/** The mailboxes of a `From`, `To` or `Cc` header, or of one string of the API. */
export const parseAddresses = (list: string): Mailbox[] =>
  (list.match(ENTRIES) ?? []).filter((entry) => entry.trim() !== "").map(parseMailbox);

/** `Name <local@domain>`, or the address alone. */
export const formatMailbox = ({ name, address }: Mailbox): string =>
  name === "" ? address : `${name} <${address}>`;

const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/i;
const LOCAL_PART = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i;
const QUOTED_LOCAL_PART = /^"(?:[ !#-[\]-~]|\\[ -~])+"$/;

/** What is wrong with an address in the eyes of SES; undefined when nothing is. SES takes no address beyond ASCII. */
export const addressProblem = (address: string): string | undefined => {
  const at = address.lastIndexOf("@");
  if (at === -1) return "Missing final '@domain'";
  const local = address.slice(0, at);
  if (/[\s\p{Cc}]/u.test(local) && !QUOTED_LOCAL_PART.test(local)) {
    return "Local address contains control or whitespace";
  }
  if (!DOMAIN.test(address.slice(at + 1))) return "Domain contains illegal character";
  return LOCAL_PART.test(local) || QUOTED_LOCAL_PART.test(local) ? undefined : "Illegal address";
};
