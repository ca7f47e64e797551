/** @jsxImportSource preact */
import { CodeBlock, type CodeTab, CodeTabs } from "../../../shared/pages/view/code.tsx";
import { Badge, DataTable, Facts, Secret } from "../../../shared/pages/view/components.tsx";
import { Meter } from "../../../shared/pages/view/meter.tsx";
import { Part } from "./part.tsx";

const curl = `curl http://127.0.0.1:3000/tasks/translate \\
  -H "Authorization: Bearer YOUR_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"source_language": "lug", "target_language": "eng", "text": "Webale nnyo"}'`;

const python = `from openai import OpenAI

client = OpenAI(
    base_url="http://127.0.0.1:3000/v1",  # the only change
    api_key="YOUR_KEY",
)`;

const tabs: readonly CodeTab[] = [
  { id: "curl", label: "curl", language: "bash", code: curl },
  { id: "openai", label: "OpenAI SDK", language: "python", code: python, changed: [4, 5] },
];

const Tables = () => (
  <>
    <DataTable
      caption="Things become a list on phones"
      isStacked
      columns={[{ label: "Key" }, { label: "State" }, { label: "Requests", isNumber: true }]}
      rows={[
        ["clinic-app", <Badge kind="good">Active</Badge>, "1,204"],
        ["a-name-as-long-as-names-of-keys-can-be-in-practice", <Badge kind="bad">Expired</Badge>, "0"],
      ]}
    />
    <DataTable
      caption="Figures scroll"
      columns={["Day", "Requests", "Errors", "Characters", "Tokens", "Seconds of audio"].map(
        (label, index) => ({ label, isNumber: index > 0 }),
      )}
      rows={[["22 Nov 2026", "1,204", "2", "48,120", "0", "151"]]}
    />
    <Facts
      facts={[
        ["Length", "1 h 12 min"],
        ["Language", "Luganda"],
      ]}
    />
  </>
);

/** What shows data: tables, meters and code. */
export const DataSamples = () => (
  <Part title="Data">
    <Tables />
    <div class="columns three">
      <Meter label="Today" used={212} limit={500} />
      <Meter label="This month" used={9_600} limit={10_000} />
      <Meter label="Without a limit" used={12} limit={null} />
    </div>
    <Secret label="Key" value="lai_3kZk0m2J9cVb7QxW1eRt5yUiOp" />
    <CodeBlock label="Response" language="json" code={'{\n  "text": "Thank you very much"\n}'} />
    <CodeTabs tabs={tabs} />
  </Part>
);
