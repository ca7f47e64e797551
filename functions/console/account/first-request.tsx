import { codeSamples, type SampleRequest } from "../../../shared/pages/samples/code-samples.ts";
import { openAiSamples } from "../../../shared/pages/samples/openai-samples.ts";
import { type CodeTab, CodeTabs } from "../../../shared/pages/view/code.tsx";
import { speechModel } from "../../../shared/platform/catalogue/audio-models.ts";
import { defaultVoices } from "../../../shared/platform/catalogue/voices.ts";

/** Where a sample has no key yet, the reader puts one. */
const placeholder = "…";

const translation = (baseUrl: string): SampleRequest => ({
  method: "POST",
  url: `${baseUrl}/tasks/translate`,
  needsToken: true,
  body: { kind: "json", value: { source_language: "eng", target_language: "lug", text: "How are you?" } },
});

const speech = (baseUrl: string): SampleRequest => ({
  method: "POST",
  url: `${baseUrl}/v1/audio/speech`,
  needsToken: true,
  body: {
    kind: "json",
    value: {
      model: speechModel,
      voice: defaultVoices[0] ?? "",
      input: "Wasuze otya nno?",
    },
  },
  gives: { file: "speech.mp3" },
});

/** The samples as they run, with the key in place of the variable. */
const tabsOf = (baseUrl: string, key: string): CodeTab[] => {
  const { curl } = codeSamples(translation(baseUrl));
  const openAi = openAiSamples("createV1Speech", speech(baseUrl), baseUrl);
  const quoted = JSON.stringify(key);
  return [
    { id: "curl", label: "curl", language: "bash", code: `TOKEN=${key}\n${curl}` },
    ...(openAi
      ? ([
          {
            id: "openai-python",
            label: "OpenAI Python",
            language: "python",
            code: openAi.python.replace("import os\n", "").replace('os.environ["TOKEN"]', quoted),
          },
          {
            id: "openai",
            label: "OpenAI Node",
            language: "typescript",
            code: openAi.node.replace("process.env.TOKEN", quoted),
          },
        ] as const)
      : []),
  ];
};

/** A first request that is easy to understand, in three ways. @param apiKey a real one, where it may be shown. */
export const FirstRequest = ({
  baseUrl,
  apiKey = placeholder,
}: {
  readonly baseUrl: string;
  readonly apiKey?: string;
}) => <CodeTabs tabs={tabsOf(baseUrl, apiKey)} />;
