-- A function as a session sees it: its own body, with the names of overlays in the place of tables. Its caller's rights apply, as they do
-- to the function itself.
-- Filled in src/overlay/functions/function-script.ts.
CREATE FUNCTION {{function}}({{arguments}}) RETURNS {{result}} LANGUAGE {{language}} {{options}} AS {{body}}
