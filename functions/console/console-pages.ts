import type { BoundPage } from "../../shared/pages/server/page.ts";
import { type AccountPagesDependencies, accountPages } from "./account/account-pages.tsx";
import { type EntryDependencies, entryPages } from "./entry/entry-pages.tsx";
import { type HomeDependencies, homePages } from "./home/home-pages.tsx";
import { type RecordingsDependencies, recordingsPages } from "./recordings/recordings-pages.tsx";

/** The pages that most visits begin with. */
export const consolePages = (
  dependencies: AccountPagesDependencies & EntryDependencies & HomeDependencies & RecordingsDependencies,
): BoundPage[] => [
  ...homePages(dependencies),
  ...entryPages(dependencies),
  ...accountPages(dependencies),
  ...recordingsPages(dependencies),
];
