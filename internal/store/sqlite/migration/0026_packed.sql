-- +goose Up
-- The tokens of each thing, packed, by the id of its words: what a rare filter leaves is looked at one by one, for the index
-- of words would be read from end to end. They lie apart, so that rows of words stay small. Things from before have none
-- until they are indexed anew; a search among them reads the index.

CREATE TABLE conversation_tokens_packed (id INTEGER PRIMARY KEY, tokens BLOB NOT NULL);
CREATE TABLE document_tokens_packed (id INTEGER PRIMARY KEY, tokens BLOB NOT NULL);
-- +goose StatementBegin
CREATE TRIGGER conversation_words_unpacked AFTER DELETE ON conversation_words BEGIN
    DELETE FROM conversation_tokens_packed WHERE id = old.id;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER document_words_unpacked AFTER DELETE ON document_words BEGIN
    DELETE FROM document_tokens_packed WHERE id = old.id;
END;
-- +goose StatementEnd
