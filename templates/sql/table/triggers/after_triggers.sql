-- Adds the statement triggers of one operation that stand around its AFTER row triggers. Filled in src/overlay/triggers/fire-after.ts: `fired`
-- is the operation whose STATEMENT triggers fire, or `rows` if none do.
CREATE TRIGGER affected_{{operation}} AFTER {{event}} ON {{view}}
FOR EACH STATEMENT {{when}}EXECUTE FUNCTION {{affected}}('{{key}}');
CREATE TRIGGER behind_{{operation}} AFTER {{event}} ON {{view}}
FOR EACH STATEMENT {{when}}EXECUTE FUNCTION {{behind}}('{{key}}', '{{fired}}');
{{conclude}}