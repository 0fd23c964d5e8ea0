-- A function as a session sees what it reads: its own body, with the names of overlays in the place of tables. Its caller's rights
-- apply, as they do to the function itself.
CREATE FUNCTION {{function}}({{arguments}}) RETURNS {{result}} LANGUAGE {{language}} {{options}} AS {{body}}
