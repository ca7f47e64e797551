import { type Address, addressParser } from "postal-mime";

/** One mailbox of an address list. */
export interface Mailbox {
  /** Decoded display name, empty when there is none. */
  readonly name: string;
  /** `local@domain` as written; not checked. */
  readonly address: string;
}

/** The mailboxes of a list, those of its groups included. */
export const withoutGroups = (addresses: readonly Address[]): Mailbox[] =>
  addresses.flatMap(({ name, address, group }): Mailbox[] => group ?? [{ name, address }]);

/** The mailboxes of one string of the API. Without angle brackets it is one address, whatever is wrong with it. */
export const parseAddresses = (entry: string): Mailbox[] => {
  if (!entry.includes("<")) return [{ name: "", address: entry.trim() }];
  return withoutGroups(addressParser(entry));
};

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
