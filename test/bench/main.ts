/** `npm run bench -- <name>`: runs a benchmark; without a name, the comparison with other gateways. */
const names: readonly (string | undefined)[] = [
  "cold",
  "documents",
  "growth",
  "jobs",
  "local",
  "pages",
  "profile",
  "speech",
];
const isNamed = names.includes(process.argv[2]);
const [name = "compare"] = isNamed ? process.argv.splice(2, 1) : [];
await import(`./${name}.ts`);
