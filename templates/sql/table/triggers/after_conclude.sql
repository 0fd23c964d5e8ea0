-- concludes the statement; filled in src/overlay/triggers/fire-after.ts
CREATE TRIGGER conclude_{{operation}} AFTER {{event}} ON {{view}}
FOR EACH STATEMENT {{when}}EXECUTE FUNCTION stage.conclude_statement();
