-- The role that logged in and staged it; null where it was staged before anybody looked. The database fills it, by the default:
-- the functions of overlays run with the rights of the service, and none of them has to be made anew.
ALTER TABLE stage.mutation ADD COLUMN role name;
ALTER TABLE stage.mutation ALTER COLUMN role SET DEFAULT session_user;
CREATE INDEX mutation_role ON stage.mutation (session, role);
