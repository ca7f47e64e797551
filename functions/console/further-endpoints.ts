import type { BoundPage } from "../../shared/pages/server/page.ts";
import { type DocumentsDependencies, documentsPages } from "./documents/documents-pages.tsx";
import { type IdentityPagesDependencies, identityPages } from "./identity/identity-pages.tsx";
import { type PlaygroundDependencies, playgroundPages } from "./playground/playground-pages.tsx";
import { type ProofPagesDependencies, proofPages } from "./proof/proof-pages.tsx";
import {
  type SecondFactorPagesDependencies,
  secondFactorPages,
} from "./second-factor/second-factor-pages.tsx";

export { visitorEndpoint } from "./playground/visitor-endpoint.ts";

import { type TierDependencies, tierPages } from "./tier/tier-pages.tsx";

/** Pages that few visits begin with. */
export const furtherConsolePages = (
  dependencies: DocumentsDependencies &
    IdentityPagesDependencies &
    PlaygroundDependencies &
    ProofPagesDependencies &
    SecondFactorPagesDependencies &
    TierDependencies,
): BoundPage[] => [
  ...identityPages(dependencies),
  ...playgroundPages(dependencies),
  ...proofPages(dependencies),
  ...documentsPages(dependencies),
  ...secondFactorPages(dependencies),
  ...tierPages(dependencies),
];
