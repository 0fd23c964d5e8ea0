CREATE TRIGGER affected_{{operation}} AFTER {{event}} ON {{view}}
FOR EACH STATEMENT {{when}}EXECUTE FUNCTION {{affected}}('{{key}}');
CREATE TRIGGER behind_{{operation}} AFTER {{event}} ON {{view}}
FOR EACH STATEMENT {{when}}EXECUTE FUNCTION {{behind}}('{{key}}');
CREATE TRIGGER conclude_{{operation}} AFTER {{event}} ON {{view}}
FOR EACH STATEMENT {{when}}EXECUTE FUNCTION stage.conclude_statement();
