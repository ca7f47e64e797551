/** Specific names first: nearly all browsers also call themselves Chrome and Safari. */
const browsers = [
  ["Opera Mini", /Opera Mini/],
  ["Opera", /OPR\/|OPT\/|OPiOS\/|^Opera\//],
  ["Edge", /Edg(?:e|A|iOS)?\//],
  ["Samsung Internet", /SamsungBrowser\//],
  ["UC Browser", /UC ?Browser/],
  ["Firefox", /Firefox\/|FxiOS\//],
  ["Chrome", /Chrome\/|Chromium\/|CriOS\//],
  ["Safari", /Version\/.*Safari\//],
] as const;

/** iPads look like computers with macOS. */
const systems = [
  ["Windows", /Windows/],
  ["Android", /Android/],
  ["iPhone", /iPhone/],
  ["iPad", /iPad/],
  ["ChromeOS", /CrOS/],
  ["macOS", /Mac OS X/],
  ["Linux", /Linux/],
] as const;

type Names = readonly (readonly [string, RegExp])[];

const nameIn = (names: Names, userAgent: string): string | undefined =>
  names.find(([, pattern]) => pattern.test(userAgent))?.[0];

/** A name for a `User-Agent`, such as `Chrome, Android`; for an unknown browser, the start of it. */
export const browserName = (userAgent: string | undefined): string => {
  if (userAgent === undefined || userAgent === "") return "?";
  const browser = nameIn(browsers, userAgent) ?? userAgent.slice(0, 40);
  const system = nameIn(systems, userAgent);
  return system === undefined ? browser : `${browser}, ${system}`;
};
