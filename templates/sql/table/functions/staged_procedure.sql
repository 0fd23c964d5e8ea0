-- A procedure as a session calls it: its own body, with the names of overlays in the place of tables. Its caller's rights apply, as they do
-- to the procedure itself.
-- Filled in src/overlay/functions/function-script.ts.
CREATE PROCEDURE {{procedure}}({{arguments}}) LANGUAGE {{language}} {{settings}} AS {{body}}
