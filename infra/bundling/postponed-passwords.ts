import { readFile } from "node:fs/promises";
import type { Plugin } from "esbuild";

const packedPasswords = /^var passwords = (?=decompress\()/m;

/**
 * Has the dictionary of common passwords unpacked when it is first asked for. By itself it does that when it is loaded, which is a
 * sixth of a start, and most starts see no new password. Its other word lists are left out.
 */
export const postponePasswords = (): Plugin => ({
  name: "postpone-passwords",
  setup(build) {
    build.onLoad({ filter: /\/language-common\/dist\/index\.mjs$/ }, () => ({
      contents:
        'import passwords from "./passwords.json.mjs";\n' +
        'export const dictionary = { get "passwords-common"() { return passwords(); } };',
    }));
    build.onLoad({ filter: /\/language-common\/dist\/passwords\.json\.mjs$/ }, async ({ path }) => {
      const source = await readFile(path, "utf8");
      if (!packedPasswords.test(source)) throw new Error(`${path} is not written as it was.`);
      return { contents: source.replace(packedPasswords, "var passwords = () => ") };
    });
  },
});
