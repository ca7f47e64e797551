import { type AccountPagesDependencies, accountPages } from "./account/account-pages.tsx";
import { type DocumentationDependencies, docsPages } from "./docs/docs-pages.tsx";
import { type EntryDependencies, entryPages } from "./entry/entry-pages.tsx";
import { type HomeDependencies, homePages } from "./home/home-pages.tsx";
import { type IdentityPagesDependencies, identityPages } from "./identity/identity-pages.tsx";
import { type PlaygroundDependencies, playgroundPages } from "./playground/playground-pages.tsx";
import { type RecordingsDependencies, recordingsPages } from "./recordings/recordings-pages.tsx";
import type { BoundPage } from "./server/page.ts";
import { type StatusDependencies, statusPages } from "./status/status-pages.tsx";
import { type TierDependencies, tierPages } from "./tier/tier-pages.tsx";

export type ConsoleDependencies = AccountPagesDependencies &
  DocumentationDependencies &
  EntryDependencies &
  HomeDependencies &
  IdentityPagesDependencies &
  PlaygroundDependencies &
  RecordingsDependencies &
  StatusDependencies &
  TierDependencies;

/** Every page of the console. */
export const consolePages = (dependencies: ConsoleDependencies): BoundPage[] => [
  ...homePages(dependencies),
  ...entryPages(dependencies),
  ...identityPages(dependencies),
  ...docsPages(dependencies),
  ...accountPages(dependencies),
  ...playgroundPages(dependencies),
  ...recordingsPages(dependencies),
  ...statusPages(dependencies),
  ...tierPages(dependencies),
];
