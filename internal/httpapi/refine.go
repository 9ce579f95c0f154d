package httpapi

import (
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/client"
)

// refine adds to the schemas what Go's types cannot say. It must run before the first request.
func (s *server) refine() {
	s.refineObjects()
	s.refineTools()
	s.field(reflect.TypeFor[client.MemoryPatch](), "due_at", &huma.Schema{
		Type: huma.TypeString, Format: "date-time", Nullable: true, Description: "When it comes due; null clears it.",
		Examples: []any{"2026-03-05T09:00:00Z"},
	})
	delete(s.api.OpenAPI().Components.Schemas.Map(), "Due")

	receipt := s.schemaOf(reflect.TypeFor[recaller.Receipt]())
	for field, doc := range map[string]string{
		"id": "The receipt's id.", "tenant": "The tenant.", "caller_id": "Who was erased.", "erased_at": "When.",
		"erased":          "How many things of each kind were removed.",
		"key_fingerprint": "The fingerprint of the data key that was destroyed.",
		"public_key":      "The Ed25519 key that the signature is checked with.",
		"remains":         "Where blind tokens and embeddings of the caller may be left for a time. Not there: nowhere.",
		"signature":       "Over the receipt as JSON with public_key and signature null.",
	} {
		receipt.Properties[field].Description = doc
	}
	remains := receipt.Properties["remains"]
	remains.Nullable = false
	remains.Items.Enum = []any{
		string(recaller.RemainLog), string(recaller.RemainIndex), string(recaller.RemainRows),
		string(recaller.RemainStandbys), string(recaller.RemainBackup),
	}
	remains.PrecomputeMessages()
}

func (s *server) schemaOf(t reflect.Type) *huma.Schema {
	reg := s.api.OpenAPI().Components.Schemas
	return reg.SchemaFromRef(reg.Schema(t, true, "").Ref)
}

// field replaces the schema of one field.
func (s *server) field(t reflect.Type, name string, schema *huma.Schema) {
	schema.PrecomputeMessages()
	s.schemaOf(t).Properties[name] = schema
}

// refineObjects describes the fields that hold any JSON object.
func (s *server) refineObjects() {
	object := func(t reflect.Type, name, doc string) {
		s.field(t, name, &huma.Schema{
			Type: huma.TypeObject, AdditionalProperties: true, Description: doc,
			Examples: []any{map[string]any{"order": 4711}},
		})
	}
	object(reflect.TypeFor[client.StartRequest](),
		"metadata", "An object of your own, at most 16 KiB; it is kept and given back as it is.")
	object(reflect.TypeFor[client.ImportRequest](),
		"metadata", "An object of your own, at most 16 KiB; it is kept and given back as it is.")
	object(reflect.TypeFor[client.Conversation](), "metadata", "The object that was given at the start.")
	object(reflect.TypeFor[client.ExportedConversation](), "metadata", "The object that was given at the start.")
	object(reflect.TypeFor[client.CheckpointInput](), "staging_data", "An object of your own, at most 64 KiB.")
	object(reflect.TypeFor[client.Checkpoint](), "staging_data", "The object that was saved.")
	object(reflect.TypeFor[client.CheckpointState](), "staging_data", "The object that was saved.")
}

// refineTools describes arguments, which come in two forms, and the schemas of the tools.
func (s *server) refineTools() {
	example := map[string]any{"memory_type": "fact", "key": "pets", "value": "A dog called Max"}
	s.field(reflect.TypeFor[client.ToolCall](), "arguments", &huma.Schema{
		Description: "What the model gave: an object, or a string that holds one. Its fields are those of the tool's " +
			"definition.",
		OneOf:    []*huma.Schema{{Type: huma.TypeObject, AdditionalProperties: true}, {Type: huma.TypeString}},
		Examples: []any{example},
	})
	staging := map[string]any{"address": "742 Evergreen Terrace"}
	s.field(reflect.TypeFor[client.SaveCheckpointCall](), "stagingData", &huma.Schema{
		Description: "Everything collected so far: a JSON object, or a string that holds one.",
		OneOf:       []*huma.Schema{{Type: huma.TypeObject, AdditionalProperties: true}, {Type: huma.TypeString}},
		Examples:    []any{staging},
	})
	s.field(reflect.TypeFor[client.ToolAnswer](), "stagingData", &huma.Schema{
		Type: huma.TypeObject, AdditionalProperties: true, Description: "For read_checkpoint: what was collected.",
		Examples: []any{staging},
	})
	for field, types := range map[string][]reflect.Type{
		"parameters":   {reflect.TypeFor[client.FunctionTool](), reflect.TypeFor[client.ChatFunction]()},
		"input_schema": {reflect.TypeFor[client.AnthropicTool]()},
		"inputSchema":  {reflect.TypeFor[client.MCPTool]()},
	} {
		for _, t := range types {
			s.field(t, field, &huma.Schema{
				Type: huma.TypeObject, AdditionalProperties: true, Description: "The JSON schema of its arguments.",
				Examples: []any{map[string]any{"type": "object"}},
			})
		}
	}
}
