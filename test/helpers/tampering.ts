/** Random tampering with the audit by somebody who has all rights in the database and knows how the chain is made. */
import type { Random } from './random.ts';

/** Recomputes every hash from an entry on, and moves the head, so that the chain looks valid. */
const rewrite = `
DO $$
DECLARE
  v_hash bytea := (SELECT sha256(convert_to('stage.audit.v1 ' || identity, 'UTF8')) FROM stage.audit_head);
  v_approval record;
  v_entry record;
BEGIN
  FOR v_approval IN SELECT * FROM stage.approval ORDER BY number LOOP
    FOR v_entry IN SELECT * FROM stage.audit WHERE position >= v_approval.first_position
      AND position < v_approval.first_position + v_approval.entries ORDER BY position
    LOOP
      v_hash := sha256(v_hash || convert_to(stage.audit_text(v_entry.position, v_entry.session, v_entry.project_id, v_entry.relation,
        v_entry.table_name, v_entry.mutation, v_entry.lineage, v_entry.operation, v_entry.row_id, v_entry.row_key, v_entry.old_data,
        v_entry.new_data, v_entry.approved_at, v_entry.approved_by, v_entry.texts), 'UTF8'));
      UPDATE stage.audit SET hash = v_hash WHERE position = v_entry.position;
    END LOOP;
    v_hash := sha256(v_hash || convert_to(stage.approval_text(v_approval.number, v_approval.session, v_approval.project_id,
      v_approval.digest, v_approval.first_position, v_approval.entries, v_approval.approved_at, v_approval.approved_by,
      v_approval.approved_as, v_approval.voters, v_approval.grounds), 'UTF8'));
    UPDATE stage.approval SET hash = v_hash WHERE number = v_approval.number;
  END LOOP;
  UPDATE stage.audit_head SET hash = v_hash;
END $$`;

export interface Tampering {
  readonly kind: string;
  readonly sql: string;
  /** Whether only a checkpoint reveals it. */
  readonly consistent: boolean;
}

export interface ChainSize {
  readonly entries: number;
  readonly approvals: number;
}

/** Draws a tampering with a chain of the given size. */
export function randomTampering(random: Random, size: ChainSize): Tampering {
  const kind = random.pick(Object.keys(kinds) as (keyof typeof kinds)[]);
  return { kind, ...kinds[kind](random, size) };
}

const kinds = {
  edit: (random: Random, size: ChainSize) => ({ sql: edit(random, size), consistent: false }),
  delete: (random: Random, size: ChainSize) => ({ sql: remove(random, size), consistent: false }),
  swap: (random: Random, size: ChainSize) => ({ sql: swap(random, size), consistent: false }),
  insert: (random: Random, size: ChainSize) => ({ sql: insert(random, size), consistent: false }),
  lie: (random: Random, size: ChainSize) => ({ sql: lie(random, size), consistent: false }),
  cut: (random: Random, size: ChainSize) => ({ sql: cut(random, size), consistent: true }),
  rewrite: (random: Random, size: ChainSize) => ({
    sql: `${edit(random, size, false)}; ${rewrite}`,
    consistent: true,
  }),
  'begin anew': () => ({
    sql: `UPDATE stage.audit_head SET identity = gen_random_uuid(); ${rewrite}`,
    consistent: true,
  }),
};

const flipped = (column: string, bit: number) =>
  `${column} = set_bit(${column}, ${bit}, 1 - get_bit(${column}, ${bit}))`;

function edit(random: Random, size: ChainSize, withHashes = true): string {
  const entry = `WHERE position = ${1 + random.below(size.entries)}`;
  const approval = `WHERE number = ${1 + random.below(size.approvals)}`;
  const edits = [
    `UPDATE stage.audit SET new_data = new_data || '{"v": "${random.below(1e6)}!"}', old_data = old_data || '{"v": "?"}' ${entry}`,
    `UPDATE stage.audit SET row_id = row_id || ' ' ${entry}`,
    `UPDATE stage.audit SET row_key = jsonb_build_array(row_key) ${entry}`,
    `UPDATE stage.audit SET project_id = project_id || table_name, table_name = '' ${entry}`,
    `UPDATE stage.audit SET approved_at = approved_at + interval '1 microsecond' ${entry}`,
    `UPDATE stage.audit SET approved_by = CASE WHEN approved_by IS NULL THEN 'null' END ${entry}`,
    `UPDATE stage.audit SET mutation = mutation + 1, lineage = lineage - 1 ${entry}`,
    `UPDATE stage.audit SET relation = relation::bigint + 1 ${entry}`,
    `UPDATE stage.audit SET session = gen_random_uuid() ${entry}`,
    `UPDATE stage.approval SET session = gen_random_uuid() ${approval}`,
    `UPDATE stage.approval SET digest = 'sha256:' || repeat('0', 64) ${approval}`,
    `UPDATE stage.approval SET approved_as = coalesce(approved_as, '') || 'x' ${approval}`,
    `UPDATE stage.approval SET voters = '["ann", "x"]' ${approval}`,
    `UPDATE stage.approval SET approved_at = approved_at - interval '1 day' ${approval}`,
  ];
  const hashes = [
    `UPDATE stage.audit SET ${flipped('hash', random.below(256))} ${entry}`,
    `UPDATE stage.approval SET ${flipped('hash', random.below(256))} ${approval}`,
    `UPDATE stage.audit_head SET ${flipped('hash', random.below(256))}`,
    'UPDATE stage.audit_head SET approvals = approvals + 1',
    'UPDATE stage.audit_head SET identity = gen_random_uuid()',
    `UPDATE stage.approval SET entries = entries + 1 ${approval}`,
  ];
  return random.pick(withHashes ? [...edits, ...hashes] : edits);
}

/** Removes entries from the middle, with or without closing the gap, or a whole approval. */
function remove(random: Random, size: ChainSize): string {
  const position = 1 + random.below(size.entries);
  const gone = `DELETE FROM stage.audit WHERE position = ${position}`;
  const number = 1 + random.below(size.approvals);
  return random.pick([
    gone,
    `${gone}; ${shift(position, -1)}`,
    `DELETE FROM stage.approval WHERE number = ${number}`,
    `DELETE FROM stage.audit a USING stage.approval p WHERE p.number = ${number} AND a.session = p.session;
     DELETE FROM stage.approval WHERE number = ${number}`,
  ]);
}

/** Swaps two different entries. */
function swap(random: Random, size: ChainSize): string {
  const one = 1 + random.below(size.entries);
  const other = 1 + ((one + random.below(size.entries - 1)) % size.entries);
  return `UPDATE stage.audit SET position = 1000000 WHERE position = ${one};
    UPDATE stage.audit SET position = ${one} WHERE position = ${other};
    UPDATE stage.audit SET position = ${other} WHERE position = 1000000`;
}

/** Inserts a copy of an entry, in the middle or at the end, with or without a place in its approval. */
function insert(random: Random, size: ChainSize): string {
  const source = 1 + random.below(size.entries);
  const place = 1 + random.below(size.entries + 1);
  const copy = `INSERT INTO stage.audit SELECT ${place}, session, project_id, relation, table_name, mutation, lineage, operation,
    row_id, row_key, old_data, new_data, approved_at, approved_by, hash FROM copied`;
  const grow = `UPDATE stage.approval SET entries = entries + 1 WHERE number = ${1 + random.below(size.approvals)}`;
  const steps = [
    `CREATE TEMP TABLE copied ON COMMIT DROP AS SELECT * FROM stage.audit WHERE position = ${source}`,
    shift(place, 1),
    copy,
  ];
  return [...steps, ...(random.chance(0.5) ? [grow] : [])].join(';\n');
}

/** Changes an entry, and the functions that make the texts of the chain, so that they return its former content. */
function lie(random: Random, size: ChainSize): string {
  return `
    CREATE TABLE stage.told AS SELECT "position", stage.audit_text("position", session, project_id, relation, table_name, mutation,
      lineage, operation, row_id, row_key, old_data, new_data, approved_at, approved_by, texts) AS text FROM stage.audit;
    ${edit(random, size, false)};
    CREATE OR REPLACE FUNCTION stage.audit_text(p_position bigint, p_session uuid, p_project_id text, p_relation oid, p_table_name text,
      p_mutation bigint, p_lineage bigint, p_operation text, p_row_id text, p_row_key jsonb, p_old_data jsonb, p_new_data jsonb,
      p_approved_at timestamptz, p_approved_by text, p_texts jsonb) RETURNS text LANGUAGE sql AS
      'SELECT t.text FROM stage.told t WHERE t."position" = p_position'`;
}

function shift(from: number, by: number): string {
  return `UPDATE stage.audit SET position = position + 1000000 WHERE position >= ${from};
    UPDATE stage.audit SET position = position - 1000000 + ${by} WHERE position >= 1000000`;
}

/** Removes the last approvals with their entries, and moves the head back. */
function cut(random: Random, size: ChainSize): string {
  const last = random.below(size.approvals);
  return `DELETE FROM stage.audit a USING stage.approval p WHERE p.number > ${last} AND a.session = p.session;
    DELETE FROM stage.approval WHERE number > ${last};
    UPDATE stage.audit_head SET approvals = ${last}, position = coalesce((SELECT max(position) FROM stage.audit), 0),
      hash = coalesce((SELECT hash FROM stage.approval WHERE number = ${last}), sha256(convert_to('stage.audit.v1 ' || identity, 'UTF8')))`;
}
