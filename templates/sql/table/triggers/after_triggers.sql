-- Adds the statement triggers of one operation that stand around its AFTER row triggers. Filled in src/overlay/triggers/fire-after.ts.
CREATE TRIGGER affected_{{operation}} AFTER {{event}} ON {{view}}
FOR EACH STATEMENT {{when}}EXECUTE FUNCTION {{affected}}('{{key}}');
CREATE TRIGGER behind_{{operation}} AFTER {{event}} ON {{view}}
FOR EACH STATEMENT {{when}}EXECUTE FUNCTION {{behind}}('{{key}}', '{{operation}}');
{{conclude}}