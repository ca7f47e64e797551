import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import { escapeHtml } from "../../../shared/http/html.ts";

/** A picture of a page in one state. */
export interface Picture {
  readonly page: string;
  readonly state: string;
  readonly width: number;
  readonly colorScheme: string;
  /** Below the folder of the pictures; `undefined` if it could not be taken. */
  readonly file: string | undefined;
  readonly problem?: string;
}

/** The share of its size at which the sheet shows a picture. */
const scale = 0.3;

const style = `
body { margin: 0; padding: 16px; font: 14px/1.5 system-ui, sans-serif; background: #777; color: #fff; width: max-content }
h1, h2, h3 { margin: 16px 0 8px } nav { max-width: 1400px } a { color: inherit; margin-right: 12px }
section { padding: 8px; border-top: 2px solid #fff } .row { display: flex; gap: 8px; margin-bottom: 8px; align-items: flex-start }
img { display: block; max-height: 900px; object-fit: cover; object-position: top } .problem { color: #fdd }`;

const shown = ({ file, width, colorScheme, problem = "" }: Picture): string =>
  file === undefined
    ? `<p class="problem">${escapeHtml(problem)}</p>`
    : `<a href="${escapeHtml(file)}" title="${width}, ${colorScheme}"><img src="${escapeHtml(file)}" width="${width * scale}" alt=""></a>`;

/** Each state has a row of widths for each colour scheme. */
const rowsOf = (pictures: readonly Picture[]): string =>
  [...Map.groupBy(pictures, ({ state }) => state)]
    .map(([state, those]) => {
      const rows = [...Map.groupBy(those, ({ colorScheme }) => colorScheme).values()];
      return `<h3>${escapeHtml(state)}</h3>${rows.map((row) => `<div class="row">${row.map(shown).join("")}</div>`).join("\n")}`;
    })
    .join("\n");

const sheetOf = (pictures: readonly Picture[]): string => {
  const pages = [...Map.groupBy(pictures, ({ page }) => page)];
  const links = pages.map(([page]) => `<a href="#${page}">${escapeHtml(page)}</a>`);
  const sections = pages.map(
    ([page, those]) => `<section id="${page}"><h2>${escapeHtml(page)}</h2>${rowsOf(those)}</section>`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Pictures of every page</title><style>${style}</style></head>
<body><h1>Pictures of every page</h1><nav>${links.join("\n")}</nav>
${sections.join("\n")}
</body></html>
`;
};

/** Writes the sheet of all pictures as a page, `index.html`, and as one picture of each page, `<page>.png`. */
export const writeContactSheet = async (
  browser: Browser,
  folder: string,
  pictures: readonly Picture[],
): Promise<void> => {
  const file = join(folder, "index.html");
  await writeFile(file, sheetOf(pictures));
  const page = await browser.newPage({ viewport: { width: 2_000, height: 1_000 } });
  await page.goto(pathToFileURL(file).href);
  for (const name of new Set(pictures.map((picture) => picture.page)))
    await page.locator(`section[id="${name}"]`).screenshot({ path: join(folder, `${name}.png`) });
  await page.close();
};
