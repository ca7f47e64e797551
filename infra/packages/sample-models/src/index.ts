export { sampleModels } from "./models.ts";
export { type SampleInference, type SampleInferenceOptions, startSampleInference } from "./sample-server.ts";
