import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { partsOf, readFrontMatter } from "../docs/guides/read-guides.ts";
import { type AllNotices, type NoticeName, type Notices, noticeNames, type StageNotice } from "./notice.ts";

const frontMatter = z.object({
  title: z.string().min(1),
  version: z.string().regex(/^[\w.-]{1,40}$/, { error: "must be a version such as 2026-11-24" }),
});

const templatesFolder = join(import.meta.dirname, "templates");

/** The folder with a folder for each stage that has notices of its own. */
const stagesFolder = join(import.meta.dirname, "../../../infra/stages");

/** @throws Error that names the file. */
const readNotice = (file: string): StageNotice => {
  const { head, body } = readFrontMatter(readFileSync(file, "utf8"));
  const about = frontMatter.safeParse(head);
  if (!about.success) {
    throw new Error(
      `${file} must start with ---, the lines "title: Privacy" and "version: 2026-11-24", and ---: ${z.prettifyError(about.error)}`,
    );
  }
  try {
    return { ...about.data, parts: partsOf(body) };
  } catch (error) {
    throw new Error(`${file}: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
};

const readFolder = (folder: string): Partial<Notices> =>
  Object.fromEntries(
    noticeNames
      .map((name): [NoticeName, string] => [name, join(folder, `${name}.md`)])
      .filter(([, file]) => existsSync(file))
      .map(([name, file]) => [name, readNotice(file)]),
  );

/** Reads the notices of all stages, and the templates. @throws Error that names the file with a mistake. */
export const readNotices = (stages = stagesFolder): AllNotices => ({
  templates: {
    privacy: readNotice(join(templatesFolder, "privacy.md")),
    terms: readNotice(join(templatesFolder, "terms.md")),
  },
  byStage: Object.fromEntries(
    readdirSync(stages, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => [name, readFolder(join(stages, name))]),
  ),
});
