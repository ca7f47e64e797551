import * as z from "zod";

/** What a provider may be called in a path. */
export const vendorName = z.string().regex(/^[a-z][a-z0-9-]{0,30}$/, {
  error: "A provider's name in a path is a lower-case word of at most 31 letters, digits and hyphens.",
});

/**
 * The providers after which some routes of version 1 are called: the specification's `{vendor_a}` and `{vendor_b}`,
 * whose names are a stage's own.
 */
export interface Vendors {
  readonly a: string;
  readonly b: string;
}

/** As they are called in the contracts, and in every stage that does not say otherwise. */
export const defaultVendors: Vendors = { a: "modal", b: "runpod" };

/** The names of the providers, for functions that serve those routes or describe them. */
export const vendorsEnvironment = { LEGACY_VENDOR_A: vendorName, LEGACY_VENDOR_B: vendorName };

const defaultPrefixes = [`/tasks/${defaultVendors.a}/`, `/tasks/${defaultVendors.b}/`] as const;

/** A path of the contracts as it is in a stage that has names of its own for the providers. */
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
