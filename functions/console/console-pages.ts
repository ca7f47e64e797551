import type { BoundPage } from "../../shared/pages/server/page.ts";
import { type AccountPagesDependencies, accountPages } from "./account/account-pages.tsx";
import { type DocumentsDependencies, documentsPages } from "./documents/documents-pages.tsx";
import { type EntryDependencies, entryPages } from "./entry/entry-pages.tsx";
import { type HomeDependencies, homePages } from "./home/home-pages.tsx";
import { type IdentityPagesDependencies, identityPages } from "./identity/identity-pages.tsx";
import { type PlaygroundDependencies, playgroundPages } from "./playground/playground-pages.tsx";
import { type ProofPagesDependencies, proofPages } from "./proof/proof-pages.tsx";
import { type RecordingsDependencies, recordingsPages } from "./recordings/recordings-pages.tsx";
import {
  type SecondFactorPagesDependencies,
  secondFactorPages,
} from "./second-factor/second-factor-pages.tsx";
import { type TierDependencies, tierPages } from "./tier/tier-pages.tsx";

export type ConsoleDependencies = AccountPagesDependencies &
  DocumentsDependencies &
  EntryDependencies &
  HomeDependencies &
  IdentityPagesDependencies &
  PlaygroundDependencies &
  ProofPagesDependencies &
  RecordingsDependencies &
  SecondFactorPagesDependencies &
  TierDependencies;

/** Every page of the console. */
export const consolePages = (dependencies: ConsoleDependencies): BoundPage[] => [
  ...homePages(dependencies),
  ...entryPages(dependencies),
  ...identityPages(dependencies),
  ...accountPages(dependencies),
  ...playgroundPages(dependencies),
  ...proofPages(dependencies),
  ...documentsPages(dependencies),
  ...recordingsPages(dependencies),
  ...secondFactorPages(dependencies),
  ...tierPages(dependencies),
];
