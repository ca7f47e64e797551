import type { ResponseObject } from "./response-object.ts";

/** The documentation's example of a response. */
export const exampleResponse = {
  id: "resp_0b8e9a4e6b0f4d6c8a52a1c9d1b5a7f3",
  object: "response",
  created_at: 1_795_339_800,
  completed_at: 1_795_339_801,
  status: "completed",
  error: null,
  incomplete_details: null,
  instructions: null,
  max_output_tokens: null,
  metadata: {},
  model: "lang-14b",
  output: [
    {
      type: "message",
      id: "msg_5e2a9c4f7b1d4e3f8a6c0b9d2e1f7a54",
      status: "completed",
      role: "assistant",
      content: [{ type: "output_text", text: "Apwoyo matek.", annotations: [], logprobs: [] }],
    },
  ],
  parallel_tool_calls: true,
  previous_response_id: null,
  reasoning: { effort: null, summary: null },
  store: false,
  background: false,
  temperature: 0.3,
  text: { format: { type: "text" } },
  tool_choice: "auto",
  tools: [],
  top_p: null,
  truncation: "disabled",
  usage: {
    input_tokens: 44,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 9,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 53,
  },
  user: null,
} as const satisfies ResponseObject;

/** The documentation's example of a streamed response: its first event, one with text, and the last. */
export const exampleEvents = [
  {
    type: "response.created",
    sequence_number: 0,
    response: { ...exampleResponse, status: "in_progress", output: [] },
  },
  {
    type: "response.output_text.delta",
    sequence_number: 4,
    item_id: exampleResponse.output[0].id,
    output_index: 0,
    content_index: 0,
    delta: "Apwoyo matek.",
    logprobs: [],
  },
  { type: "response.completed", sequence_number: 8, response: exampleResponse },
];
