-- Whether rows were put aside is asked of the session: it concerns views, partitions and parents of the table as well.
ALTER TABLE stage.overlay DROP COLUMN parked;
