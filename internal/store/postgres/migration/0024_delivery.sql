-- +goose Up
-- Whether a document was delivered to an outside document server (V11): '' is not to be; what is known of it there is sealed.

ALTER TABLE documents ADD COLUMN delivery TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE documents ADD COLUMN delivered BYTEA;
CREATE INDEX documents_delivery ON documents (tenant_id, delivery, created_at, id) WHERE delivery <> '';
