package llmtest

import "slices"

// fault says why a provider would refuse the messages of a request; "" if it would not. Calls must be of tools that the
// request tells of, or it may tell of none; each must be answered by a result right after it, and no result may come
// without its call.
func (q Request) fault() string {
	var open []string // calls without a result
	for _, m := range q.Messages {
		if m.Role == "tool" {
			i := slices.Index(open, m.Of)
			if i < 0 {
				return "a tool result must be a response to a preceding call"
			}
			open = slices.Delete(open, i, i+1)
			continue
		}
		if len(open) > 0 {
			return "a call must be followed by its result"
		}
		for _, c := range m.Calls {
			open = append(open, c.ID)
		}
		if q.Provider == anthropicName && m.Text == "" && len(m.Calls) == 0 && q.Images == 0 {
			return "text content blocks must be non-empty"
		}
		if q.Provider == anthropicName && len(m.Calls) > 0 && len(q.Tools) == 0 {
			return "requests which include tool_use blocks must define tools"
		}
	}
	if len(open) > 0 {
		return "a call must be followed by its result"
	}
	return ""
}
