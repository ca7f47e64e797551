import { registerHooks } from "node:module";

// Loaded before AWS's runtime client, which finds our stand-in where its compiled part would be.
registerHooks({
  resolve(specifier, context, nextResolve) {
    if (!specifier.endsWith("rapid-client.node")) return nextResolve(specifier, context);
    return { url: new URL("./native-client.ts", import.meta.url).href, shortCircuit: true };
  },
});
