// Command oldest tells what the oldest supported openai-go makes of this service: a line of JSON for each test, as a title and what
// failed. OPENAI_BASE_URL and OPENAI_API_KEY are in the environment; with SILENT, the model replies after 20 seconds.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/openai/openai-go"
	"github.com/openai/openai-go/option"
	"github.com/openai/openai-go/responses"
	"github.com/openai/openai-go/shared"
)

const (
	model    = "lang-14b"
	hello    = "How do you say 'thank you' in Luganda?"
	question = "What is the market price of Maize in Kampala?"
	answer   = "1,200 shillings a kilogram"
)

type test struct {
	title string
	run   func() error
}

func must(held bool, found any) error {
	if held {
		return nil
	}
	return fmt.Errorf("found %+v", found)
}

func ask(text string) openai.ChatCompletionNewParams {
	return openai.ChatCompletionNewParams{
		Model:    model,
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(text)},
	}
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	client := openai.NewClient(option.WithMaxRetries(0))
	stranger := openai.NewClient(option.WithMaxRetries(0), option.WithAPIKey("nonsense"))

	streamed := func() error {
		stream := client.Chat.Completions.NewStreaming(ctx, ask(hello))
		sum := openai.ChatCompletionAccumulator{}
		for stream.Next() {
			if !sum.AddChunk(stream.Current()) {
				return errors.New("a chunk does not go with those before it")
			}
		}
		if err := stream.Err(); err != nil {
			return err
		}
		return must(len(sum.Choices) == 1 && strings.TrimSpace(sum.Choices[0].Message.Content) != "", sum)
	}
	streamedResponse := func() error {
		stream := client.Responses.NewStreaming(ctx, responses.ResponseNewParams{
			Model: model,
			Input: responses.ResponseNewParamsInputUnion{OfString: openai.String(hello)},
		})
		last := ""
		for stream.Next() {
			last = stream.Current().Type
		}
		if err := stream.Err(); err != nil {
			return err
		}
		return must(last == "response.completed", last)
	}

	tests := []test{
		{"returns a whole reply", func() error {
			found, err := client.Chat.Completions.New(ctx, ask(hello))
			if err != nil {
				return err
			}
			return must(strings.TrimSpace(found.Choices[0].Message.Content) != "" && found.Usage.TotalTokens > 0, found)
		}},
		{"streams a reply", streamed},
		{"calls a tool", func() error {
			params := ask(question)
			params.Tools = []openai.ChatCompletionToolParam{{
				Function: shared.FunctionDefinitionParam{
					Name: "get_market_price",
					Parameters: map[string]any{
						"type": "object",
						"properties": map[string]any{
							"crop":   map[string]any{"type": "string"},
							"market": map[string]any{"enum": []string{"Gulu", "Kampala"}},
						},
						"required":             []string{"crop", "market"},
						"additionalProperties": false,
					},
				},
			}}
			calling, err := client.Chat.Completions.New(ctx, params)
			if err != nil {
				return err
			}
			message := calling.Choices[0].Message
			if len(message.ToolCalls) != 1 || message.ToolCalls[0].Function.Arguments != `{"crop":"Maize","market":"Kampala"}` {
				return must(false, message)
			}
			result := openai.ToolMessage(answer, message.ToolCalls[0].ID)
			params.Messages = append(params.Messages, message.ToParam(), result)
			told, err := client.Chat.Completions.New(ctx, params)
			if err != nil {
				return err
			}
			return must(strings.Contains(told.Choices[0].Message.Content, answer), told)
		}},
		{"gives responses", streamedResponse},
		{"lists the models", func() error {
			page, err := client.Models.List(ctx)
			if err != nil {
				return err
			}
			return must(len(page.Data) == 4 && page.Data[0].ID == model, page)
		}},
		{"reports what went wrong", func() error {
			params := ask(hello)
			params.N = openai.Int(2)
			_, err := client.Chat.Completions.New(ctx, params)
			var refused *openai.Error
			if !errors.As(err, &refused) || refused.StatusCode != 400 || refused.Code != "unsupported_parameter" || refused.Param != "n" {
				return must(false, err)
			}
			_, err = stranger.Models.List(ctx)
			return must(errors.As(err, &refused) && refused.StatusCode == 401, err)
		}},
	}
	if os.Getenv("SILENT") != "" {
		tests = []test{{"streams a reply after silence", streamed}, {"streams a response after silence", streamedResponse}}
	}

	encoder := json.NewEncoder(os.Stdout)
	for _, test := range tests {
		line := map[string]any{"title": test.title, "failure": nil}
		if err := test.run(); err != nil {
			line["failure"] = err.Error()
		}
		if err := encoder.Encode(line); err != nil {
			os.Exit(1)
		}
	}
}
