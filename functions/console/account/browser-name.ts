/** What browsers call themselves, those first that name others beside themselves: nearly all say Chrome and Safari. */
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

/** iPads ask for pages as computers with macOS; nothing they send tells them apart. */
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

/** What a browser's `User-Agent` says, in the names that people know: `Chrome, Android`. Of others, how it begins. */
export const browserName = (userAgent: string | undefined): string => {
  if (userAgent === undefined || userAgent === "") return "?";
  const browser = nameIn(browsers, userAgent) ?? userAgent.slice(0, 40);
  const system = nameIn(systems, userAgent);
  return system === undefined ? browser : `${browser}, ${system}`;
};
