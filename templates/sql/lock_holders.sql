-- Who holds tables of the schema stage, those first whose transactions are open for longest.
SELECT a.pid, a.state, extract(epoch FROM clock_timestamp() - a.xact_start)::int AS seconds
FROM pg_stat_activity a
WHERE a.pid <> pg_backend_pid() AND a.datname = current_database() AND EXISTS (
  SELECT FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
  WHERE l.pid = a.pid AND l.granted AND c.relnamespace = 'stage'::regnamespace)
ORDER BY a.xact_start LIMIT 5;
