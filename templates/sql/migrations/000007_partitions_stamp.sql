-- stage.partitions_stamp when the overlay was made; null for a table without partitions, and where nobody has looked at them yet.
ALTER TABLE stage.overlay ADD COLUMN partitions_stamp text;
-- Overlays are made anew when their tables are next used: what they do has changed.
UPDATE stage.overlay SET signature = '', stamp = '';
