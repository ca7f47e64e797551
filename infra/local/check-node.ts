import manifest from "../../package.json" with { type: "json" };

/**
 * Returns why the project cannot run with the Node that npm runs on; `undefined` when it can. npm leaves out native parts of tools
 * that do not support its own Node, without a message, although the commands run on the Node in `node_modules`.
 *
 * @param userAgent npm's, such as `npm/10.8.2 node/v18.20.8 linux x64`; `undefined` without npm.
 */
export const nodeProblem = (userAgent: string | undefined, range: string): string | undefined => {
  const version = /\bnode\/v(\d+)\.(\d+)/.exec(userAgent ?? "");
  if (!version) return undefined;
  const [major, minor] = [Number(version[1]), Number(version[2])];
  const isSupported = range.split("||").some((part) => {
    const [, sign, minMajor, minMinor] = /(\^|>=)(\d+)\.(\d+)/.exec(part) ?? [];
    const isSameMajor = major === Number(minMajor) && minor >= Number(minMinor);
    return isSameMajor || (sign === ">=" && major > Number(minMajor));
  });
  if (isSupported) return undefined;
  return `This project needs Node ${range}, and npm runs on Node ${major}.${minor}. Install Node ${manifest.devDependencies.node.split(".")[0]}, and run npm ci again.`;
};

// Imports are evaluated in their order, so this runs before anything that needs a native part.
const problem = nodeProblem(process.env["npm_config_user_agent"], manifest.engines.node);
if (problem !== undefined) {
  process.stderr.write(`${problem}\n`);
  process.exit(1);
}
