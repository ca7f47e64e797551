import { definePage } from "../../../shared/pages/server/define-page.ts";

/** A notice only changes with a deployment. */
const common = { audience: "everybody", cacheSeconds: 300, styles: ["docs"] } as const;

export const privacyPage = definePage({
  ...common,
  id: "privacy",
  path: "/privacy",
  title: ({ navigation }) => navigation.privacy,
});

export const termsPage = definePage({
  ...common,
  id: "terms",
  path: "/terms",
  title: ({ navigation }) => navigation.terms,
});
