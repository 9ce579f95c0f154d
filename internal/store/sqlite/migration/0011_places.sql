-- +goose Up
-- The steps of a wrap-up have places: which steps a conversation has, and in which order, is decided when it ends. The
-- steps that are there already ran in this order.

ALTER TABLE steps ADD COLUMN place BIGINT NOT NULL DEFAULT 0;
UPDATE steps SET place = CASE step WHEN 'analyse' THEN 1 WHEN 'extract' THEN 2 ELSE 3 END WHERE step <> 'summarise';
