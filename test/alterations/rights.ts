/** Alterations of rights: row-level security, grants, owners, and attributes and memberships of roles. */
import type { Alteration } from './alteration.ts';
import { each, every, onEvery } from './alteration.ts';

const rowSecurity = [
  ...onEvery(
    (name) => [
      `ALTER TABLE ${name} ENABLE ROW LEVEL SECURITY`,
      `ALTER TABLE ${name} ENABLE ROW LEVEL SECURITY; CREATE POLICY low ON ${name} USING (n < 3)`,
      `ALTER TABLE ${name} ENABLE ROW LEVEL SECURITY; ALTER TABLE ${name} FORCE ROW LEVEL SECURITY; CREATE POLICY low ON ${name} FOR SELECT USING (n < 3)`,
    ],
    ['fired'],
  ),
  ...each(
    ['doc', 'invoked'],
    [
      'ALTER TABLE $s.doc DISABLE ROW LEVEL SECURITY',
      'ALTER TABLE $s.doc FORCE ROW LEVEL SECURITY',
      'CREATE POLICY more ON $s.doc FOR SELECT USING (true)',
      'CREATE POLICY fewer ON $s.doc AS RESTRICTIVE USING (n < 2)',
      'CREATE POLICY own ON $s.doc AS RESTRICTIVE FOR UPDATE TO $login USING (who = current_user)',
      'ALTER POLICY seen ON $s.doc USING (n > 1)',
      'ALTER POLICY seen ON $s.doc WITH CHECK (n < 5)',
      'ALTER POLICY seen ON $s.doc TO $other',
      'ALTER POLICY seen ON $s.doc RENAME TO sight',
      'DROP POLICY seen ON $s.doc',
      `CREATE OR REPLACE FUNCTION $s.may(text) RETURNS boolean STABLE LANGUAGE plpgsql AS 'BEGIN RETURN $1 = ''hidden''; END'`,
      'ALTER FUNCTION $s.may(text) RENAME TO might',
      'ALTER FUNCTION $s.may(text) SECURITY DEFINER',
      'REVOKE EXECUTE ON FUNCTION $s.may(text) FROM PUBLIC',
    ],
  ),
];

const grants = [
  ...onEvery((name) => [
    `REVOKE SELECT ON ${name} FROM $group`,
    `REVOKE INSERT ON ${name} FROM $group`,
    `REVOKE UPDATE ON ${name} FROM $group`,
    `REVOKE DELETE ON ${name} FROM $group`,
    `REVOKE UPDATE ON ${name} FROM $group; GRANT UPDATE (v) ON ${name} TO $group`,
    `REVOKE SELECT ON ${name} FROM $group; GRANT SELECT ON ${name} TO PUBLIC`,
    `REVOKE INSERT ON ${name} FROM $group; GRANT INSERT ON ${name} TO $login`,
  ]),
  ...each(
    ['shown', 'invoked'],
    ['REVOKE SELECT ON $s.shown, $s.invoked FROM $group', 'REVOKE UPDATE ON $s.shown FROM $group'],
  ),
  ...each(
    ['part_a'],
    ['REVOKE SELECT ON $s.part_a FROM $group', 'REVOKE INSERT ON $s.part_a FROM $group'],
  ),
  ...each(
    ['heir', 'top'],
    ['REVOKE SELECT ON $s.heir FROM $group', 'REVOKE UPDATE ON $s.heir FROM $group'],
  ),
  ...each(
    ['item'],
    [
      'REVOKE ALL ON SCHEMA $s FROM $group',
      'REVOKE USAGE ON SEQUENCE $s.numbers FROM $group',
      'REVOKE EXECUTE ON FUNCTION $s.plus(int) FROM PUBLIC',
      'REVOKE EXECUTE ON FUNCTION $s.good(int) FROM PUBLIC',
      'REVOKE EXECUTE ON FUNCTION $s.label() FROM PUBLIC',
      'REVOKE EXECUTE ON FUNCTION $s.total() FROM PUBLIC',
      'REVOKE USAGE ON TYPE $s.dom FROM PUBLIC',
    ],
  ),
  ...each(
    ['fired'],
    [
      'REVOKE EXECUTE ON FUNCTION $s.stamped() FROM PUBLIC',
      'REVOKE INSERT ON $s.history FROM $group',
      'REVOKE SELECT ON $s.history FROM $group',
    ],
  ),
];

const owners = [
  ...onEvery((name) => [`ALTER TABLE ${name} OWNER TO $other`]),
  ...each(
    ['shown', 'invoked'],
    ['ALTER VIEW $s.shown OWNER TO $other', 'ALTER VIEW $s.invoked OWNER TO $other'],
  ),
  ...each(
    ['item'],
    [
      'ALTER SCHEMA $s OWNER TO $other',
      'ALTER FUNCTION $s.good(int) OWNER TO $other',
      'ALTER SEQUENCE $s.numbers OWNER TO $other',
    ],
  ),
];

const roles = every.flatMap((table): Alteration[] => [
  {
    text: 'ALTER ROLE $login BYPASSRLS',
    undo: 'ALTER ROLE $login NOBYPASSRLS',
    of: [table, 'doc'],
  },
  {
    text: 'ALTER ROLE $login SUPERUSER',
    undo: 'ALTER ROLE $login NOSUPERUSER',
    of: [table, 'doc'],
  },
  { text: 'REVOKE $group FROM $login', undo: 'GRANT $group TO $login', of: [table] },
  { text: 'GRANT $owner TO $login', undo: 'REVOKE $owner FROM $login', of: [table, 'doc'] },
  {
    text: 'ALTER ROLE $login NOINHERIT; REVOKE $group FROM $login; GRANT $group TO $login',
    undo: 'ALTER ROLE $login INHERIT; REVOKE $group FROM $login; GRANT $group TO $login',
    of: [table],
  },
]);

export const rights = [rowSecurity, grants, owners, roles];
