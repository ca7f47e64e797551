import {
  App,
  CfnParameter,
  CfnResource,
  DefaultStackSynthesizer,
  type IReusableStackSynthesizer,
  Stack,
} from "aws-cdk-lib";
import type { CloudAssembly } from "aws-cdk-lib/cx-api";
import type { IConstruct } from "constructs";
import { addServiceStacks, type ServiceProps } from "../service.ts";
import { readCdkContext } from "../synthesize.ts";

/** The parameters of templates with functions: where the operator has put the files. */
export const assetParameters = {
  AssetsBucket: {
    description: "The bucket with the files of the release, in the region of the stack",
  },
  AssetsPrefix: {
    description:
      "What comes before assets/ in the keys of the files: nothing, or a text with a slash at the end",
    default: "language-ai/",
  },
} as const;

/** The folder of the functions' archives, in the package and below the prefix. */
export const assetsFolder = "assets";

/** The value of a parameter in `Fn::Sub`. */
const parameter = (name: keyof typeof assetParameters): string => `\${${name}}`;

const createSynthesizer = (): IReusableStackSynthesizer => {
  const synthesizer = new DefaultStackSynthesizer({
    fileAssetsBucketName: parameter("AssetsBucket"),
    bucketPrefix: `${parameter("AssetsPrefix")}${assetsFolder}/`,
    generateBootstrapVersionRule: false,
  });
  // Only CDK's own types disagree: an optional property against one that may be undefined.
  return synthesizer as IReusableStackSynthesizer;
};

/** Whether a construct is a function: one of the service, or one that the CDK adds, such as to empty a bucket. */
const isFunction = (construct: IConstruct): boolean =>
  CfnResource.isCfnResource(construct) && construct.cfnResourceType === "AWS::Lambda::Function";

/** Declares the parameters in each stack with functions. */
const addAssetParameters = (app: App): void => {
  for (const stack of app.node.children.filter((child) => Stack.isStack(child))) {
    if (!stack.node.findAll().some(isFunction)) continue;
    for (const [name, details] of Object.entries(assetParameters)) {
      new CfnParameter(stack, name, { type: "String", ...details });
    }
  }
};

/**
 * Synthesises a stage for CloudFormation without the CDK: the same stacks, whose templates take the location of the functions' code as
 * parameters and expect nothing of `cdk bootstrap`. The assembly has a copy of all code: the CDK deletes that of its own functions.
 *
 * @param props.outdir the folder for the cloud assembly
 */
export const synthesizePackage = async ({
  outdir,
  ...service
}: ServiceProps & { readonly outdir: string }): Promise<CloudAssembly> => {
  // Its check takes seconds, and the tests of the templates run it.
  process.env["CDK_VALIDATION"] = "false";
  const app = new App({
    outdir,
    analyticsReporting: false,
    context: await readCdkContext(),
    defaultStackSynthesizer: createSynthesizer(),
  });
  addServiceStacks(app, service);
  addAssetParameters(app);
  return app.synth();
};
