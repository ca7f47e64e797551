import { readdir, readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Metafile, Plugin } from "esbuild";
import * as z from "zod";
import { companionsIn, writeChangedFile } from "./bundle-files.ts";
import { type BuiltTogether, changedOutputs, onDemandOutputs } from "./on-demand-modules.ts";

/** The file next to each bundle with the licences of what it contains. */
export const licencesFile = "THIRD-PARTY-LICENSES.txt";

/** Licences that only require their text. Files under others, such as LAME's LGPL, are companions with their own reason. */
const accepted: readonly string[] = [
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "ISC",
  "MIT",
  "MIT-0",
];

/** The texts for packages that name a licence and do not include it. */
const standardTexts: Readonly<Record<string, string>> = {
  "Apache-2.0": "LICENSE",
  ISC: "infra/bundling/ISC.txt",
  MIT: "infra/bundling/MIT.txt",
};

const packageFile = z.object({
  name: z.string(),
  version: z.string(),
  license: z.string().default("none"),
  author: z
    .union([z.string(), z.object({ name: z.string() }).transform(({ name }) => name)])
    .default("its authors"),
});

/** Something in a bundle, and the text of its licence. */
interface Part {
  readonly title: string;
  readonly text: string;
}

const readText = async (...path: string[]): Promise<string> => (await readFile(join(...path), "utf8")).trim();

/** @throws Error when the package's licence is not accepted, or has no text. */
const describePackage = async (projectDirectory: string, folder: string): Promise<Part> => {
  const directory = join(projectDirectory, folder);
  const own = packageFile.parse(JSON.parse(await readText(directory, "package.json")));
  const title = `${own.name} ${own.version} (${own.license})`;
  if (!accepted.includes(own.license)) {
    throw new Error(
      `Bundles must not contain ${title}: infra/bundling/licences.ts accepts ${accepted.join(", ")}.`,
    );
  }
  const files = (await readdir(directory)).filter((file) => /^(?:licen[cs]e|copying|notice)/i.test(file));
  if (files.length > 0) {
    const texts = await Promise.all(files.toSorted().map((file) => readText(directory, file)));
    return { title, text: texts.join("\n\n") };
  }
  const standard = standardTexts[own.license];
  if (standard === undefined) throw new Error(`There is no text of the licence of ${title}.`);
  return { title: `${title}, by ${own.author}`, text: await readText(projectDirectory, standard) };
};

const describeCompanion = async (projectDirectory: string, file: string, licences: readonly string[]) => {
  const texts = await Promise.all(licences.map((licence) => readText(projectDirectory, licence)));
  return { title: `the file ${basename(file)}`, text: texts.join("\n\n") };
};

/** Everything that a bundle contains, with the other files and the modules that are next to it. @param path of its entry. */
const inputsOf = (outputs: Metafile["outputs"], path: string): string[] => {
  // A set's iteration continues with what is added to it.
  const reached = new Set([path]);
  for (const one of reached) for (const imported of outputs[one]?.imports ?? []) reached.add(imported.path);
  const files = [...reached].flatMap((one) => outputs[one] ?? []);
  return files
    .flatMap((file) => [file, ...onDemandOutputs(outputs, file)])
    .flatMap(({ inputs }) => Object.keys(inputs));
};

const format = (parts: readonly Part[]): string => {
  const byText = [...Map.groupBy(parts, ({ text }) => text)].map(
    ([text, alike]) => `${alike.map(({ title }) => title).join("\n")}\n\n${text}`,
  );
  const line = `\n\n${"-".repeat(80)}\n\n`;
  return `This bundle contains what follows, each under the licence below its name.${line}${byText.join(line)}\n`;
};

/** Writes the licences of the packages in each bundle, and of the files next to it, into one file. An unknown licence ends the build. */
export const licences = (projectDirectory: string, built: BuiltTogether): Plugin => ({
  name: "licences",
  setup(build) {
    const known = new Map<string, Promise<Part>>();
    const ofPackage = (folder: string): Promise<Part> => {
      const part = known.get(folder) ?? describePackage(projectDirectory, folder);
      known.set(folder, part);
      return part;
    };
    build.onEnd(async ({ metafile, errors }) => {
      if (!metafile || errors.length > 0) return;
      for (const [path, output] of Object.entries(changedOutputs(built, metafile))) {
        if (output.entryPoint === undefined || basename(path) !== "index.mjs") continue;
        const inputs = inputsOf(built.outputs, path);
        const folders = inputs.flatMap(
          (input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(input)?.[0] ?? [],
        );
        const parts = await Promise.all([
          ...[...new Set(folders)].toSorted().map(ofPackage),
          ...companionsIn(inputs).flatMap(({ file, licences: own }) =>
            own ? [describeCompanion(projectDirectory, file, own)] : [],
          ),
        ]);
        await writeChangedFile(
          join(projectDirectory, dirname(path), licencesFile),
          Buffer.from(format(parts)),
        );
      }
    });
  },
});
