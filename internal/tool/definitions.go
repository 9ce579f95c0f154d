package tool

import (
	"encoding/json"

	"github.com/recallerhq/recaller"
)

// Definition is a tool as a model is told of it.
type Definition struct {
	Name        recaller.Tool
	Description string
	Parameters  json.RawMessage // a JSON schema, names in snake_case
}

// Definitions returns the definitions of the tools, in the order of recaller.Tools.
func Definitions() []Definition {
	return []Definition{
		{recaller.ToolStoreMemory, storeText, json.RawMessage(storeSchema)},
		{recaller.ToolUpdateMemory, updateText, json.RawMessage(updateSchema)},
		{recaller.ToolForgetMemory, forgetText, json.RawMessage(forgetSchema)},
		{recaller.ToolMarkPrivate, privateText, json.RawMessage(privateSchema)},
		{recaller.ToolSetReminder, reminderText, json.RawMessage(reminderSchema)},
		{recaller.ToolCancelReminder, cancelText, json.RawMessage(cancelSchema)},
		{recaller.ToolListReminders, listText, json.RawMessage(listSchema)},
		{recaller.ToolRecall, recallText, json.RawMessage(recallSchema)},
		{recaller.ToolReadCheckpoint, readText, json.RawMessage(readSchema)},
		{recaller.ToolSaveCheckpoint, saveText, json.RawMessage(saveSchema)},
		{recaller.ToolSomeoneElse, elseText, json.RawMessage(elseSchema)},
		{recaller.ToolVerifyCaller, verifyText, json.RawMessage(verifySchema)},
	}
}

const storeText = `Store something important about the caller to remember in future conversations.
Call this PROACTIVELY when the caller shares personal information. Examples:
- "My name is..." or "Call me..."
- "I have three grandchildren"
- "I love gardening" or "I enjoy..."
- "I used to be a teacher"
- "My daughter visits on Sundays"
- "I have a doctor appointment next week"

Do NOT store small talk, what is already in your memory, or card numbers, passwords and other secrets.
Do NOT confirm storage verbally: store silently and continue the conversation naturally.`

const storeSchema = `{
  "type": "object",
  "properties": {
    "memory_type": {
      "type": "string",
      "enum": ["fact", "preference", "follow_up", "context", "history", "wellbeing"],
      "description": "Type of memory:\n- fact: personal information (name, family, pets, location)\n- preference: likes, dislikes, interests, habits\n- follow_up: things to ask about later\n- context: living situation, environment, daily patterns\n- history: past experiences, life stories\n- wellbeing: non-medical wellness observations (energy, sleep, mood)"
    },
    "key": {
      "type": "string",
      "description": "Semantic key in snake_case, one per thing (e.g. \"preferred_name\", \"favorite_hobby\", \"daughter_sarah\", \"doctor_appointment\")"
    },
    "value": {
      "type": "string",
      "description": "The memory content to store, in a few words. Keep the time as the caller said it (\"Tuesday at 3\")."
    },
    "confidence": {
      "type": "number",
      "minimum": 0,
      "maximum": 1,
      "description": "Confidence (0-1), 1 if left out. Use lower values for inferred information."
    },
    "suggest_reminder": {
      "type": "boolean",
      "description": "For follow_up: should the caller be asked whether to set a reminder for this?"
    }
  },
  "required": ["memory_type", "key", "value"],
  "additionalProperties": false
}`

const updateText = `Update an existing memory when the caller gives new or corrected information.
Use this when:
- The caller corrects earlier information: "Actually, I have FOUR grandchildren, not three"
- Information has changed: "I moved to a new apartment"
- Something is added to a memory: "I also like jazz, not just classical"

Where no memory has the key, one is created; where several may be meant, nothing is changed and the answer lists them. Do NOT confirm the update verbally: update silently and continue.`

const updateSchema = `{
  "type": "object",
  "properties": {
    "existing_key": {
      "type": "string",
      "description": "The key of the existing memory to update, as it stands before it in your notes"
    },
    "new_value": {
      "type": "string",
      "description": "The updated memory content, whole: it takes the place of the old one"
    },
    "memory_type": {
      "type": "string",
      "enum": ["fact", "preference", "follow_up", "context", "history", "wellbeing"],
      "description": "Type to use if a new memory is created because no memory has the key. Defaults to fact."
    },
    "confidence": {
      "type": "number",
      "minimum": 0,
      "maximum": 1,
      "description": "Confidence in the update (0-1), 1 if left out"
    }
  },
  "required": ["existing_key", "new_value"],
  "additionalProperties": false
}`

const forgetText = `Forget a memory when the caller asks you to ("forget that", "don't remember that about me"), or when it is no longer true and nothing takes its place.
It is not used again in this or any later conversation, nor are the words that said it, and the caller's name if that is what is forgotten.
What the caller only said, and no memory holds, is forgotten too: name it in a few words ("my door code").
Where it is not clear which is meant, nothing is forgotten and the answer lists candidates with their keys: call again with one of those.`

const forgetSchema = `{
  "type": "object",
  "properties": {
    "key": {
      "type": "string",
      "description": "The key of the memory to forget, as it stands before it in your notes; or a few words that say which (\"the debt to his brother\")"
    }
  },
  "required": ["key"],
  "additionalProperties": false
}`

const privateText = `Keep a memory between you and this caller when the caller asks for it ("that stays between us", "don't tell anyone").
It is still used in conversations with this caller, and shown nowhere else.`

const privateSchema = `{
  "type": "object",
  "properties": {
    "key": {
      "type": "string",
      "description": "The key of the memory to keep private, as it stands before it in your notes; or a few words that say which"
    }
  },
  "required": ["key"],
  "additionalProperties": false
}`

const reminderText = `Set a reminder when the caller wants to be reminded of something, or says yes when you ask.
Name the memory by its key where it is stored already. Otherwise give what to remind of as value, and it is stored with the reminder.
A memory may have several. To move one, give its reminder_id with the new time, and repeat again if it still repeats.`

const reminderSchema = `{
  "type": "object",
  "properties": {
    "due_at": {
      "type": "string",
      "description": "When to remind, in the caller's own time: as said (\"tomorrow at 9\", \"in two hours\", \"on Tuesday\") or as a date and time without a zone (\"2026-03-10T08:30:00\"). A day without a time is nine in the morning. Of one that repeats the first time, or all of it (\"every Monday at 9\")."
    },
    "repeat": {
      "type": "string",
      "description": "How it repeats, where it does: \"every Monday at 9\", \"daily\", \"every other week\", \"monthly on the 3rd\", or an RRULE"
    },
    "reminder_id": {
      "type": "string",
      "description": "The reminder to move, as it was answered when it was set or by list_reminders"
    },
    "key": {
      "type": "string",
      "description": "The key of the memory to remind of, e.g. \"doctor_appointment\""
    },
    "value": {
      "type": "string",
      "description": "What to remind of, where no memory has it yet or this reminder has other words, e.g. \"Doctor's appointment at 3\""
    }
  },
  "required": ["due_at"],
  "additionalProperties": false
}`

const cancelText = `Cancel a reminder when the caller no longer wants it, all of it where it repeats. The memory stays.`

const cancelSchema = `{
  "type": "object",
  "properties": {
    "reminder_id": {
      "type": "string",
      "description": "The reminder, as it was answered when it was set or by list_reminders"
    },
    "key": {
      "type": "string",
      "description": "Or the key of its memory, where that has one reminder only"
    }
  },
  "additionalProperties": false
}`

const listText = `List the reminders that wait, soonest first, with their ids: when the caller asks for them, or to find the one to move or cancel.`

const listSchema = `{
  "type": "object",
  "properties": {
    "key": {
      "type": "string",
      "description": "Only those of the memory with this key"
    }
  },
  "additionalProperties": false
}`

const recallText = `Search what this caller said and was told in earlier conversations. Call it when the caller refers to something earlier ("as I told you", "the price you quoted") that your notes do not have.
Ask in plain words, with names and times as the caller said them. Where nothing fits, say that you do not have it; what is marked unsure may be about something else.`

const recallSchema = `{
  "type": "object",
  "properties": {
    "query": {
      "type": "string",
      "description": "What to look for: a question or a few words (\"the price of the boiler\", \"what we agreed last week\")"
    }
  },
  "required": ["query"],
  "additionalProperties": false
}`

const readText = `Check whether this caller left a matter unfinished in the last days. Call this immediately at the start of the conversation, unless your notes say it already.
If it is found, say "Welcome back. I see we were discussing …" from the summary, ask whether to pick it up, and do not ask again for what was collected. If not, greet as usual.`

const readSchema = `{
  "type": "object",
  "properties": {},
  "additionalProperties": false
}`

const saveText = `Save where the matter stands, so that the next call can go on exactly here if this one drops. Call this after every significant information exchange: an address, an issue, a name, a date, a number.
It takes the place of what was saved before, so give everything that is known so far. When the matter is settled, save the intent "completed": that clears it. Do not speak of it.`

const saveSchema = `{
  "type": "object",
  "properties": {
    "summary": {
      "type": "string",
      "description": "Where the matter stands, in one sentence (\"Leak under the sink at 742 Evergreen Terrace, no time yet\")"
    },
    "intent": {
      "type": "string",
      "description": "What the caller is trying to do (\"job_creation\", \"scheduling\"); \"completed\" clears what was saved"
    },
    "staging_data": {
      "type": "string",
      "description": "Everything collected so far, as a JSON object in a string: {\"address\": \"742 Evergreen Terrace\", \"issue\": \"leaking pipes\"}"
    }
  },
  "required": ["summary"],
  "additionalProperties": false
}`

const elseText = `Call this as soon as it turns out that you speak with somebody else than you were told: "this is Anna, Karl's wife", "I'll hand you over to my husband", "he does not live here any more, this is my number now".
Give the name where it was said, never a guess. What you know of the one before stays with that one: do not tell it. What you are answered is of who speaks now.`

const elseSchema = `{
  "type": "object",
  "properties": {
    "name": {
      "type": "string",
      "description": "What the one who speaks now is called, as they said it; leave it out where they did not"
    },
    "recycled": {
      "type": "boolean",
      "description": "True only where they say that the number is theirs now and the other has nothing to do with it any more"
    }
  },
  "additionalProperties": false
}`
