// Command clients tells what openai-go makes of this service: a line of JSON for each test, as a title and what failed.
// OPENAI_BASE_URL, OPENAI_API_KEY and RECORDING are in the environment; with SILENT, only the test that streams runs.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"
)

const (
	model    = "lang-14b"
	hello    = "How do you say 'thank you' in Luganda?"
	question = "What is the market price of Maize in Kampala?"
	answer   = "1,200 shillings a kilogram"
	sentence = "Wasuze otya nno? Nnyabo, weebale kujja."
)

var parameters = map[string]any{
	"type": "object",
	"properties": map[string]any{
		"crop":   map[string]any{"type": "string"},
		"market": map[string]any{"enum": []string{"Gulu", "Kampala"}},
	},
	"required":             []string{"crop", "market"},
	"additionalProperties": false,
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

	tests := []struct {
		title string
		run   func() error
	}{
		{"returns a whole reply", func() error {
			found, err := client.Chat.Completions.New(ctx, ask(hello))
			if err != nil {
				return err
			}
			return must(strings.TrimSpace(found.Choices[0].Message.Content) != "" && found.Usage.TotalTokens > 0, found)
		}},
		{"streams a reply", func() error {
			params := ask(hello)
			params.StreamOptions = openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)}
			stream := client.Chat.Completions.NewStreaming(ctx, params)
			sum := openai.ChatCompletionAccumulator{}
			for stream.Next() {
				if !sum.AddChunk(stream.Current()) {
					return errors.New("a chunk does not go with those before it")
				}
			}
			if err := stream.Err(); err != nil {
				return err
			}
			return must(strings.TrimSpace(sum.Choices[0].Message.Content) != "" && sum.Usage.TotalTokens > 0, sum)
		}},
		{"calls a tool", func() error {
			params := ask(question)
			params.Tools = []openai.ChatCompletionToolUnionParam{
				openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
					Name:       "get_market_price",
					Parameters: parameters,
				}),
			}
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
		{"returns structured output", func() error {
			params := ask("Maize in Gulu costs 1200 shillings.")
			params.ResponseFormat = openai.ChatCompletionNewParamsResponseFormatUnion{
				OfJSONSchema: &shared.ResponseFormatJSONSchemaParam{
					JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{
						Name:   "price",
						Strict: openai.Bool(true),
						Schema: map[string]any{
							"type":                 "object",
							"properties":           map[string]any{"shillings": map[string]any{"type": "integer"}},
							"required":             []string{"shillings"},
							"additionalProperties": false,
						},
					},
				},
			}
			found, err := client.Chat.Completions.New(ctx, params)
			if err != nil {
				return err
			}
			var price struct{ Shillings int }
			if err := json.Unmarshal([]byte(found.Choices[0].Message.Content), &price); err != nil {
				return err
			}
			return must(price.Shillings == 1200, price)
		}},
		{"gives responses", func() error {
			found, err := client.Responses.New(ctx, responses.ResponseNewParams{
				Model: model,
				Input: responses.ResponseNewParamsInputUnion{OfString: openai.String(hello)},
			})
			if err != nil {
				return err
			}
			return must(strings.TrimSpace(found.OutputText()) != "" && found.Status == "completed", found)
		}},
		{"transcribes a recording", func() error {
			of := func(format openai.AudioResponseFormat) (string, error) {
				file, err := os.Open(os.Getenv("RECORDING"))
				if err != nil {
					return "", err
				}
				defer file.Close()
				found, err := client.Audio.Transcriptions.New(ctx, openai.AudioTranscriptionNewParams{
					File:           openai.File(file, "recording.wav", "audio/wav"),
					Model:          "stt-51",
					Language:       openai.String("lg"),
					ResponseFormat: format,
				})
				if err != nil {
					return "", err
				}
				if format == openai.AudioResponseFormatVerboseJSON {
					verbose := found.AsTranscriptionVerbose()
					return verbose.Text, must(verbose.Duration > 1 && len(verbose.Segments) == 2, verbose)
				}
				return found.Text, nil
			}
			for _, format := range []openai.AudioResponseFormat{
				openai.AudioResponseFormatJSON,
				openai.AudioResponseFormatVerboseJSON,
			} {
				text, err := of(format)
				if err != nil {
					return err
				}
				if text != sentence {
					return must(false, text)
				}
			}
			return nil
		}},
		{"speaks", func() error {
			found, err := client.Audio.Speech.New(ctx, openai.AudioSpeechNewParams{
				Model: openai.SpeechModelTTS1,
				Voice: openai.AudioSpeechNewParamsVoiceUnion{OfAudioSpeechNewsVoiceString2: openai.String("alloy")},
				Input: sentence,
			})
			if err != nil {
				return err
			}
			defer found.Body.Close()
			sound, err := io.ReadAll(found.Body)
			if err != nil {
				return err
			}
			if len(sound) < 2_000 {
				return must(false, len(sound))
			}
			isMp3 := string(sound[:3]) == "ID3" || (sound[0] == 0xff && sound[1]&0xe6 == 0xe2)
			return must(isMp3, sound[:16])
		}},
		{"lists the models", func() error {
			page, err := client.Models.List(ctx)
			if err != nil {
				return err
			}
			ids := []string{}
			for _, found := range page.Data {
				ids = append(ids, found.ID)
			}
			return must(slices.Equal(ids, []string{"lang-14b", "lang-9b", "stt-51", "tts-20"}), ids)
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
		// A model that replies after 20 seconds: only the test that streams.
		tests = tests[1:2]
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
