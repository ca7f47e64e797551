/**
 * A pattern of a policy as a test: `*` matches any text, `?` any one character.
 *
 * @param flags of the regular expression: `i` where IAM ignores case.
 * @throws Error when the pattern has a policy variable, such as `${aws:username}`: none is known here.
 */
export const compilePattern = (pattern: string, flags = ""): ((text: string) => boolean) => {
  if (pattern.includes("${")) throw new Error(`the policy variable in "${pattern}" is not evaluated here`);
  const source = pattern
    .replaceAll(/[\\^$.|+()[\]{}]/g, "\\$&")
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  const expression = new RegExp(`^${source}$`, `s${flags}`);
  return (text) => expression.test(text);
};
