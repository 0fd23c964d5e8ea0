-- Restores a row that triggers made from its text. Its body is parsed here: clients who call it may not name the type.
-- Filled in src/overlay/rows/policies.ts.
CREATE FUNCTION {{made_row}}(text) RETURNS {{row_type}} LANGUAGE sql STABLE BEGIN ATOMIC SELECT $1::{{row_type}}; END;

