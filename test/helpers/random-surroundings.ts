/** What is around the tables of a drawn schema: the encoding of its database with names and values in it, event triggers, policies. */
import type { Random } from './random.ts';
import type { DrawnTable } from './random-schema.ts';

/** Names and texts that are drawn often beside those of every schema. */
export interface Words {
  readonly names: readonly string[];
  readonly texts: readonly string[];
}

export interface Surroundings {
  readonly name: string;
  /** The encoding of the database; the server's without one. */
  readonly encoding?: string;
  readonly definitions: string;
  readonly words: Words;
}

const logged = `
CREATE SCHEMA logging; CREATE TABLE logging.ddl (tag text, object text, at timestamptz DEFAULT now());
GRANT USAGE ON SCHEMA logging TO PUBLIC; GRANT INSERT ON logging.ddl TO PUBLIC;
CREATE FUNCTION logging.note() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO logging.ddl (tag, object) SELECT tg_tag, object_identity FROM pg_event_trigger_ddl_commands(); END $$;
CREATE FUNCTION logging.note_dropped() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO logging.ddl (tag, object) SELECT tg_tag, object_identity FROM pg_event_trigger_dropped_objects(); END $$;
CREATE EVENT TRIGGER "note it" ON ddl_command_end EXECUTE FUNCTION logging.note();
CREATE EVENT TRIGGER note_dropped ON sql_drop EXECUTE FUNCTION logging.note_dropped();
`;

const none: Words = { names: [], texts: [] };

/** The long names have at most 63 bytes in the encoding of the database, and more in UTF-8. */
export const surroundings: readonly Surroundings[] = [
  { name: 'alone', definitions: '', words: none },
  { name: 'DDL that is logged', definitions: logged, words: none },
  {
    name: 'LATIN1',
    encoding: 'LATIN1',
    definitions: '',
    words: {
      names: ['größe', 'Ñandú "ß"', `${'ü'.repeat(60)}a`, `${'ü'.repeat(60)}b`],
      texts: ['é', 'É', '¿ß?', 'ÿ'],
    },
  },
  {
    name: 'EUC_JP',
    encoding: 'EUC_JP',
    definitions: logged,
    words: {
      names: ['名前', 'テ "ス" ト', `${'名'.repeat(30)}a`, `${'名'.repeat(30)}b`],
      texts: ['日本', '日本語', '、', 'ﾃｽﾄ'],
    },
  },
  {
    name: 'SQL_ASCII',
    encoding: 'SQL_ASCII',
    definitions: '',
    words: { names: ['größe', '名前'], texts: ['é', '日本', '€'] },
  },
];

/** Draws row-level security for a table, for a role that does not own it. */
export function drawPolicies(
  random: Random,
  { name, key, columns }: DrawnTable,
  role: string,
): string {
  const { chance, pick } = random;
  const known = columns.filter(({ name: column }) => key.includes(column));
  const some = (known.length > 0 ? known : columns).filter(({ values }) => values.length > 0);
  const condition = (): string => {
    const column = pick(some);
    return pick([
      'true',
      `current_user = '${role}'`,
      `${column.name} IS NOT NULL`,
      `${column.name}::text <> ${pick(column.values)}::text`,
      `length(${column.name}::text) < 9 OR session_user = 'nobody'`,
    ]);
  };
  const policy = (kind: string, command: string, index: number) => {
    const using = command === 'INSERT' ? '' : ` USING (${condition()})`;
    const takes = command === 'ALL' || command === 'INSERT' || command === 'UPDATE';
    const check = takes && (using === '' || chance(0.4)) ? ` WITH CHECK (${condition()})` : '';
    return `CREATE POLICY "p ${index}" ON ${name} AS ${kind} FOR ${command} TO ${pick(['PUBLIC', role])}${using}${check};`;
  };
  const commands = chance(0.6) ? ['ALL'] : ['SELECT', 'INSERT', 'UPDATE', 'DELETE'];
  const policies = commands.map((command, index) => policy('PERMISSIVE', command, index));
  if (chance(0.3))
    policies.push(policy('RESTRICTIVE', pick(['ALL', 'SELECT', 'UPDATE', 'DELETE']), 9));
  return `ALTER TABLE ${name} ENABLE ROW LEVEL SECURITY; ${chance(0.3) ? `ALTER TABLE ${name} FORCE ROW LEVEL SECURITY;` : ''}
    ${policies.join('\n')}`;
}
