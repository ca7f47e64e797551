import { join } from "node:path";
import { App, Stack } from "aws-cdk-lib";
import { describe, expect, expectTypeOf, it } from "vitest";
import { type Binding, plainBinding } from "../../infra/constructs/bindings.ts";
import { ServiceFunction } from "../../infra/constructs/service-function.ts";
import type { OwnBindings } from "../../infra/stacks/function-group.ts";
import { defineFunction } from "../../shared/http/function-definition.ts";
import { countVariable, textVariable, type VariableShape } from "../../shared/platform/config/variables.ts";
import { exampleStage, withTemporaryDirectory, writeStandInBundles } from "./synthesized-service.ts";

const declared = { MODEL: textVariable, TIMEOUT_MS: countVariable };
const definition = defineFunction({
  name: "docs",
  description: "A function with two variables",
  operations: [],
  environment: declared,
  memoryMegabytes: 256,
  timeoutSeconds: 10,
  transfer: "buffered",
});
type Bindings = OwnBindings<typeof declared>;
type NoBindings = OwnBindings<Record<never, never>>;
type WithCommonVariables = OwnBindings<
  typeof declared & { CHAT_BASE_URL: typeof textVariable; TOKEN_SECRET_ID: typeof textVariable }
>;

const deploy = (environment: Readonly<Record<string, Binding>>) =>
  withTemporaryDirectory(async (directory) => {
    const bundles = await writeStandInBundles(join(directory, "bundles"));
    const stack = new Stack(new App({ outdir: directory, analyticsReporting: false }), "Stack");
    return new ServiceFunction(stack, "Function", {
      definition: { ...definition, environment: declared as VariableShape },
      environment,
      bundles,
      stage: exampleStage("dev"),
    });
  });

describe("The environment of a function", () => {
  it("is typed by what the function declares: each variable that is not common, and no other", () => {
    const binding = plainBinding("value");
    const complete = { MODEL: binding, TIMEOUT_MS: binding };
    expect(Object.keys(complete)).toEqual(["MODEL", "TIMEOUT_MS"]);
    // Checked by the compiler; a wrong line here fails `tsc`.
    expectTypeOf(complete).toExtend<Bindings>();
    expectTypeOf<Bindings>().toEqualTypeOf<{ readonly MODEL: Binding; readonly TIMEOUT_MS: Binding }>();
    expectTypeOf({ MODEL: binding }).not.toExtend<Bindings>();
    expectTypeOf({ MODEL: "value", TIMEOUT_MS: binding }).not.toExtend<Bindings>();
    expectTypeOf<WithCommonVariables>().toEqualTypeOf<Bindings>();
    expectTypeOf<OwnBindings<{ MAIL_FROM: typeof textVariable }>>().toEqualTypeOf<{
      readonly MAIL_FROM: Binding;
    }>();
    expectTypeOf({}).toExtend<NoBindings>();
    expectTypeOf({ MODEL: binding }).not.toExtend<NoBindings>();
  });

  it("is refused when a variable is missing", async () => {
    await expect(deploy({ MODEL: plainBinding("nine") })).rejects.toThrow(
      'The environment of the function "docs" is not the one it declares. Missing: TIMEOUT_MS. Not declared: none.',
    );
  });

  it("is refused when a variable is not declared", async () => {
    const environment = {
      MODEL: plainBinding("nine"),
      TIMEOUT_MS: plainBinding(1),
      SECRET: plainBinding("x"),
    };
    await expect(deploy(environment)).rejects.toThrow("Missing: none. Not declared: SECRET.");
  });

  it("adds each permission together with its variable", async () => {
    const granted: unknown[] = [];
    const MODEL = { value: "nine", grant: (grantee: unknown) => void granted.push(grantee) };
    const { lambda } = await deploy({ MODEL, TIMEOUT_MS: plainBinding(1) });
    expect(granted).toEqual([lambda]);
  });
});
