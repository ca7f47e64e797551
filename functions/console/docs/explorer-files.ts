import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

/** The version of Swagger UI. A test compares it with the package. */
export const explorerVersion = "5.35.0";

/** The files of Swagger UI. `infra/bundling/bundle-files.ts` copies them next to the bundle. */
const files: Readonly<Record<string, { readonly contentType: string; readonly address: () => string }>> = {
  "swagger-ui-bundle.js": {
    contentType: "text/javascript; charset=utf-8",
    address: () => import.meta.resolve("swagger-ui-dist/swagger-ui-bundle.js"),
  },
  "swagger-ui.css": {
    contentType: "text/css; charset=utf-8",
    address: () => import.meta.resolve("swagger-ui-dist/swagger-ui.css"),
  },
};

/** A file of Swagger UI; `undefined` when there is none with this name. */
export const readExplorerFile = async (
  version: string | undefined,
  name: string,
): Promise<{ readonly contentType: string; readonly body: string } | undefined> => {
  const file = version === explorerVersion && Object.hasOwn(files, name) ? files[name] : undefined;
  return (
    file && {
      contentType: file.contentType,
      body: await readFile(fileURLToPath(file.address()), "utf8"),
    }
  );
};
