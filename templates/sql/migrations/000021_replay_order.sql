-- What a statement finds at its end, another connection may have staged while it ran: a parent that came, a child that went, a unique
-- value that was given up. Approval replays statements in the order in which they ended. The numbers of rows are drawn when a statement
-- stages them, and are the order where this is null: in sessions from before.
ALTER TABLE stage.mutation ADD COLUMN ended bigint;
ALTER TABLE stage.mutation ALTER COLUMN ended SET DEFAULT nextval('stage.seq');
