import * as z from "zod";
import { groupVariable } from "./variables.ts";

export const vendorName = z.string().regex(/^[a-z][a-z0-9-]{0,30}$/, {
  error: "A provider's name in a path is a lower-case word of at most 31 letters, digits and hyphens.",
});

/** The specification's `{vendor_a}` and `{vendor_b}` in routes of version 1; each stage may choose their names. */
export interface Vendors {
  readonly a: string;
  readonly b: string;
}

/** Their names in the contracts, and by default in a stage. */
export const defaultVendors: Vendors = { a: "modal", b: "runpod" };

/** Their names in a stage, as JSON. */
export const vendorsEnvironment = { LEGACY_VENDORS: groupVariable({ a: vendorName, b: vendorName }) };

const defaultPrefixes = [`/tasks/${defaultVendors.a}/`, `/tasks/${defaultVendors.b}/`] as const;

/** Converts a path of the contracts to the provider names of a stage. */
export const inVendorsNames = <Path extends string>(
  path: Path,
  { a, b }: Vendors,
): Path | `/tasks/${string}` => {
  const [ofA, ofB] = defaultPrefixes;
  if (path.startsWith(ofA)) return `/tasks/${a}/${path.slice(ofA.length)}`;
  return path.startsWith(ofB) ? `/tasks/${b}/${path.slice(ofB.length)}` : path;
};

/** Whether a path of the contracts is one of a provider's. */
export const isVendorsPath = (path: string): boolean =>
  defaultPrefixes.some((prefix) => path.startsWith(prefix));
