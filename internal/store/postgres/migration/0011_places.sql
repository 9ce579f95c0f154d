-- +goose Up
-- The steps of a wrap-up have places: which steps a conversation has, and in which order, is decided when it ends. The
-- steps that are there already ran in this order.

ALTER TABLE steps ADD COLUMN place BIGINT NOT NULL DEFAULT 0;
ALTER TABLE steps NO FORCE ROW LEVEL SECURITY; -- for the rows of all tenants, until the end of this transaction
UPDATE steps SET place = CASE step WHEN 'analyse' THEN 1 WHEN 'extract' THEN 2 ELSE 3 END WHERE step <> 'summarise';
ALTER TABLE steps FORCE ROW LEVEL SECURITY;
