import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { LocalResponse } from "@language-ai/aws-stand-ins";
import { build } from "esbuild";
import { assetsPath } from "../../shared/pages/server/links.ts";
import { buildBrowserAssets } from "../bundling/browser-assets.ts";
import { projectDirectory } from "../bundling/bundle-options.ts";
import type { LocalPage, RenderLocalPage } from "./local-page.ts";

const pagesModule = "infra/local/pages/render-page.tsx";
const tokensFile = join(projectDirectory, "shared/pages/view/style/tokens.css");

/**
 * Loads the pages. They share components with the console, and Node cannot run those as they are, so each request bundles
 * them: a changed component shows after a reload.
 */
const loadPages = async (): Promise<RenderLocalPage> => {
  const { outputFiles } = await build({
    absWorkingDir: projectDirectory,
    entryPoints: [pagesModule],
    bundle: true,
    platform: "node",
    format: "esm",
    mainFields: ["module", "main"],
    write: false,
    logLevel: "silent",
  });
  const [{ contents } = { contents: new Uint8Array() }] = outputFiles;
  const address = `data:text/javascript;base64,${Buffer.from(contents).toString("base64")}`;
  const { renderLocalPage }: { readonly renderLocalPage: RenderLocalPage } = await import(address);
  return renderLocalPage;
};

/** The names of the colours in the style sheet. */
export const readColours = async (): Promise<string[]> => {
  const tokens = await readFile(tokensFile, "utf8");
  const [light = ""] = tokens.split("}");
  return Array.from(light.matchAll(/--([a-z0-9-]+): (?:#|rgb\()/g), ([, name = ""]) => name);
};

/** What only the page of components has: squares of colours, and lists of small samples. */
const sampleStyle = (colours: readonly string[]): string =>
  [
    ".samples{display:grid;grid-template-columns:repeat(auto-fill,minmax(7rem,1fr));gap:.75rem}",
    ".swatch{height:44px;border:1px solid var(--line);border-radius:var(--round)}",
    ...colours.map((name) => `.swatch.${name}{background:var(--${name})}`),
  ].join("");

/** Pages with texts of other people run no script; the page of components needs the one of every page. */
const headersOf = ({ kind }: LocalPage, style: string): Record<string, string> => {
  const hash = createHash("sha256").update(style).digest("base64");
  const styles = style === "" ? "'self'" : `'self' 'sha256-${hash}'`;
  const scripts = kind === "components" ? "script-src 'self'; " : "";
  return {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy":
      `default-src 'none'; style-src ${styles}; img-src 'self' data:; ${scripts}` +
      "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
  };
};

/**
 * A page under `/_local`, with the components and the style sheet of the console.
 *
 * @param base the path of the service, without a slash at the end.
 */
export const localPage = async (page: LocalPage, base: string): Promise<LocalResponse> => {
  const [renderLocalPage, { assets }] = await Promise.all([
    loadPages(),
    buildBrowserAssets(projectDirectory),
  ]);
  const addressesOf = (names: RegExp) =>
    assets
      .filter(({ name }) => names.test(name))
      .map(({ file }) => `${base}${assetsPath.replace("{file}", file)}`);
  // The components of some pages have style sheets of their own.
  const stylesheets = addressesOf(page.kind === "components" ? /\.css$/ : /^style\.css$/);
  const style = page.kind === "components" ? sampleStyle(page.colours) : "";
  const scripts = page.kind === "components" ? addressesOf(/^page\.js$/) : [];
  const frame = { base, stylesheets, scripts, style, now: Date.now() };
  return { status: 200, headers: headersOf(page, style), body: renderLocalPage(page, frame) };
};
