/** A tool as tests offer it; a sample server calls it for questions about market prices. */
export const priceParameters = {
  type: "object",
  properties: { crop: { type: "string" }, market: { enum: ["Gulu", "Kampala"] } },
  required: ["crop", "market"],
  additionalProperties: false,
} as const;

export const priceTool = {
  name: "get_market_price",
  description: "The price of a crop at a market",
  parameters: { ...priceParameters, required: [...priceParameters.required] },
};

/** The message of a person who wants it called. */
export const priceQuestion = "What is the market price of Maize in Kampala?";

/** What it is called with then. */
export const priceArguments = { crop: "Maize", market: "Kampala" };

/** Its result. */
export const priceReply = "1,200 shillings a kilogram";
