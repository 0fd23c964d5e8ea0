-- Lists the processes that hold tables of the schema stage, each with its transaction, the longest open transactions first. State, time and
-- type of other roles' processes are visible only to roles that may read all statistics.
SELECT a.pid, a.state, extract(epoch FROM clock_timestamp() - a.xact_start)::int AS seconds, l.transaction
FROM pg_stat_activity a CROSS JOIN LATERAL (
  SELECT l.virtualtransaction AS transaction FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
  WHERE l.pid = a.pid AND l.granted AND c.relnamespace = 'stage'::regnamespace LIMIT 1) l
WHERE a.pid <> pg_backend_pid() AND a.datname = current_database() AND coalesce(a.backend_type, 'client backend') = 'client backend'
ORDER BY a.xact_start;
