/** The guards in migrations. A released migration never changes, so no comment marks them, and their text locates them. */
import type { UnmarkedGuard } from './guard.ts';

export const migrationGuards: readonly UnmarkedGuard[] = [
  {
    name: 'a key makes one session',
    file: 'templates/sql/migrations/000012_events.sql',
    text: `NULLS NOT DISTINCT
WHERE request_key IS NOT NULL;`,
    without: `NULLS NOT DISTINCT
WHERE request_key IS NOT NULL AND id IS NULL;`,
    tests: ['rest/idempotency'],
  },
  {
    name: 'events are append-only',
    file: 'templates/sql/migrations/000012_events.sql',
    text: `CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON stage.event
FOR EACH STATEMENT EXECUTE FUNCTION stage.refuse_event_change();`,
    without: '',
    tests: ['rest/comments'],
  },
  {
    name: 'decisions are append-only',
    file: 'templates/sql/migrations/000034_decisions.sql',
    text: `CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON stage.decision
FOR EACH STATEMENT EXECUTE FUNCTION stage.refuse_event_change();`,
    without: '',
    tests: ['review/decisions'],
  },
  {
    name: 'decisions are not shown to roles',
    file: 'templates/sql/migrations/000034_decisions.sql',
    text: 'REVOKE ALL ON stage.decision FROM PUBLIC',
    without: 'GRANT SELECT ON stage.decision TO PUBLIC',
    tests: ['review/decisions'],
  },
  {
    name: 'the role of a mutation is the one that logged in',
    file: 'templates/sql/migrations/000026_acting_roles.sql',
    text: "SET DEFAULT coalesce(nullif(current_setting('role'), 'none'), session_user)::name",
    without: 'SET DEFAULT current_user',
    tests: ['proxy/mutation-log.test'],
  },
  {
    name: 'who staged before it was recorded is not known',
    file: 'templates/sql/migrations/000010_mutation_roles.sql',
    text: 'ADD COLUMN role name;',
    without: 'ADD COLUMN role name DEFAULT session_user;',
    tests: ['db/migrate'],
  },
  {
    name: 'sessions are not shown to roles',
    file: 'templates/sql/migrations/000001_sessions.sql',
    text: 'REVOKE ALL ON stage.session FROM PUBLIC',
    without: 'GRANT SELECT ON stage.session TO PUBLIC',
    tests: ['staging/privacy'],
  },
  {
    name: 'the audit is out of reach of roles',
    file: 'templates/sql/migrations/000002_audit.sql',
    text: 'REVOKE ALL ON stage.audit, stage.approval, stage.audit_head FROM PUBLIC',
    without: 'GRANT ALL ON stage.audit, stage.approval, stage.audit_head TO PUBLIC',
    tests: ['staging/privacy'],
  },
  {
    name: 'the service account has no right to change the audit',
    file: 'templates/sql/migrations/000002_audit.sql',
    text: 'REVOKE UPDATE, DELETE, TRUNCATE ON stage.audit, stage.approval FROM CURRENT_USER;',
    without: '',
    tests: ['review/audit'],
  },
  {
    name: 'triggers keep the audit append-only',
    file: 'templates/sql/migrations/000002_audit.sql',
    text: `CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON stage.audit
`,
    without: `CREATE TRIGGER append_only BEFORE TRUNCATE ON stage.audit
`,
    tests: ['review/audit'],
  },
  {
    name: "the head of the audit's chain moves forward only",
    file: 'templates/sql/functions/refuse_rewind.sql',
    text: 'IF NEW.identity <> OLD.identity OR NEW.position < OLD.position OR NEW.approvals <> OLD.approvals + 1 THEN',
    without: 'IF false THEN',
    tests: ['review/audit'],
  },
];
