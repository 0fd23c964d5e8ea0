-- A BEFORE STATEMENT trigger opens the mutation, INSTEAD OF stages row by row, AFTER STATEMENT judges and logs.
CREATE TRIGGER before_{{operation}} BEFORE {{operation}} ON {{overlay}}
FOR EACH STATEMENT EXECUTE FUNCTION stage.before_statement('{{key}}');
CREATE TRIGGER stage_{{operation}} INSTEAD OF {{operation}} ON {{overlay}}
FOR EACH ROW EXECUTE FUNCTION {{row_function}}();
CREATE TRIGGER after_{{operation}} AFTER {{operation}} ON {{overlay}}
FOR EACH STATEMENT EXECUTE FUNCTION {{after_function}}();
