-- `role` is the one that SET ROLE set, whose rights count, or else the one that logged in; `login` is the latter where it is another.
ALTER TABLE stage.mutation ALTER COLUMN role SET DEFAULT coalesce(nullif(current_setting('role'), 'none'), session_user)::name;
ALTER TABLE stage.mutation ADD COLUMN login name;
ALTER TABLE stage.mutation ALTER COLUMN login SET DEFAULT
  CASE WHEN current_setting('role') NOT IN ('none', session_user) THEN session_user END::name;
CREATE INDEX mutation_login ON stage.mutation (session, login) WHERE login IS NOT NULL;
