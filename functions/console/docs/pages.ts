import { definePage } from "../server/define-page.ts";

/** The documentation only changes with a deployment. */
const cacheSeconds = 300;

const common = { audience: "everybody", cacheSeconds } as const;

export const documentationPage = definePage({
  ...common,
  id: "documentation",
  path: "/docs",
  title: ({ navigation }) => navigation.docs,
});

export const explorerPage = definePage({
  ...common,
  id: "explorer",
  path: "/docs/explorer",
  title: ({ navigation }) => navigation.docs,
});

/** The files of Swagger UI. Their address has their version, so browsers may cache them forever. */
export const explorerFilePage = definePage({
  ...common,
  id: "explorerFile",
  path: "/docs/explorer/{version}/{file}",
  title: ({ navigation }) => navigation.docs,
});

export const guidesPage = definePage({
  ...common,
  id: "guides",
  path: "/docs/guides",
  title: ({ navigation }) => navigation.docs,
});

export const guidePage = definePage({
  ...common,
  id: "guide",
  path: "/docs/guides/{name}",
  title: ({ navigation }) => navigation.docs,
});

export const operationPage = definePage({
  ...common,
  id: "operation",
  path: "/docs/{operation}",
  title: ({ navigation }) => navigation.docs,
  shell: "docs",
});

/** The table of contents for language models: https://llmstxt.org. */
export const llmsPage = definePage({
  ...common,
  id: "llms",
  path: "/llms.txt",
  title: ({ navigation }) => navigation.docs,
});
