/** Ordinary statements on tables with ordinary triggers, written after public projects. */
import type { OwnCode } from './own-code-tables.ts';
import { accounts, audit, counts, posts, see, trigger } from './own-code-tables.ts';

export const ownTriggers: readonly OwnCode[] = [
  {
    name: 'slug by BEFORE trigger',
    schema:
      posts('a1') +
      trigger(
        'a1_slug',
        `BEGIN NEW.slug := lower(regexp_replace(NEW.title, '\\W+', '-', 'g')); RETURN NEW; END`,
        'BEFORE INSERT OR UPDATE OF title ON a1_posts FOR EACH ROW',
      ),
    statements: [
      `INSERT INTO a1_posts (id, title) VALUES (9, 'What is new?') RETURNING slug`,
      ...see('a1_posts'),
    ],
  },
  {
    name: 'search vector by BEFORE trigger in PL/pgSQL',
    schema:
      posts('a2') +
      trigger(
        'a2_tsv',
        `BEGIN NEW.tsv := setweight(to_tsvector('english', coalesce(NEW.title, '')), 'A') || to_tsvector('english', coalesce(NEW.body, '')); RETURN NEW; END`,
        'BEFORE INSERT OR UPDATE ON a2_posts FOR EACH ROW',
      ),
    statements: [
      `UPDATE a2_posts SET body = 'running dogs' WHERE id = 1 RETURNING tsv`,
      `SELECT id FROM a2_posts WHERE tsv @@ to_tsquery('dog')`,
    ],
  },
  {
    name: 'search vector by tsvector_update_trigger',
    schema: `${posts('a3')} CREATE TRIGGER a3_tsv BEFORE INSERT OR UPDATE ON a3_posts FOR EACH ROW EXECUTE FUNCTION tsvector_update_trigger(tsv, 'pg_catalog.english', title, body);`,
    statements: [
      `UPDATE a3_posts SET body = 'running dogs' WHERE id = 1 RETURNING tsv`,
      `SELECT id FROM a3_posts WHERE tsv @@ to_tsquery('dog')`,
    ],
  },
  {
    name: 'status machine',
    schema:
      posts('a4') +
      trigger(
        'a4_state',
        `BEGIN IF OLD.status = 'published' AND NEW.status = 'draft' THEN RAISE EXCEPTION 'cannot go back' USING ERRCODE = 'P0099'; END IF; RETURN NEW; END`,
        'BEFORE UPDATE OF status ON a4_posts FOR EACH ROW',
      ),
    statements: [
      `UPDATE a4_posts SET status = 'published' WHERE id = 1`,
      `UPDATE a4_posts SET status = 'draft' WHERE id = 1`,
      ...see('a4_posts'),
    ],
  },
  {
    name: 'tenant stamping from a setting',
    schema:
      posts('a5') +
      trigger(
        'a5_tenant',
        `BEGIN NEW.tenant := current_setting('app.tenant', true); RETURN NEW; END`,
        'BEFORE INSERT ON a5_posts FOR EACH ROW',
      ),
    statements: [
      `INSERT INTO a5_posts (id, title) VALUES (9, 'new') RETURNING tenant`,
      ...see('a5_posts'),
    ],
  },
  {
    name: 'audit history by a generic trigger',
    schema:
      posts('a6') +
      audit('a6') +
      trigger(
        'a6_log',
        `BEGIN INSERT INTO a6_audit (tab, op, was, is_now) VALUES (TG_TABLE_NAME, TG_OP, to_jsonb(OLD), to_jsonb(NEW)); RETURN NULL; END`,
        'AFTER INSERT OR UPDATE OR DELETE ON a6_posts FOR EACH ROW',
      ),
    statements: [
      `UPDATE a6_posts SET title = 'x' WHERE id < 3`,
      'DELETE FROM a6_posts WHERE id = 3',
      'SELECT tab, op, was, is_now FROM a6_audit ORDER BY tab, op, was::text',
    ],
  },
  {
    name: 'audit history by dynamic SQL',
    schema:
      posts('a7') +
      audit('a7') +
      trigger(
        'a7_log',
        `BEGIN EXECUTE format('INSERT INTO %I (tab, op, was, is_now) VALUES ($1, $2, $3, $4)', 'a7_audit') USING TG_TABLE_NAME::text, TG_OP, to_jsonb(OLD), to_jsonb(NEW); RETURN NULL; END`,
        'AFTER UPDATE OR DELETE ON a7_posts FOR EACH ROW',
      ),
    statements: [
      `UPDATE a7_posts SET title = 'x' WHERE id < 3`,
      'SELECT tab, op, was, is_now FROM a7_audit ORDER BY tab, op, was::text',
    ],
  },
  {
    name: 'audit history with the rights of its owner and a search path',
    schema:
      posts('a8') +
      audit('a8') +
      trigger(
        'a8_log',
        `BEGIN INSERT INTO a8_audit (tab, op, was, is_now) VALUES (TG_TABLE_NAME, TG_OP, to_jsonb(OLD), to_jsonb(NEW)); RETURN NULL; END`,
        'AFTER UPDATE OR DELETE ON a8_posts FOR EACH ROW',
        'SECURITY DEFINER SET search_path = public',
      ),
    statements: [
      `UPDATE a8_posts SET title = 'x' WHERE id < 3`,
      'SELECT tab, op, was, is_now FROM a8_audit ORDER BY tab, op, was::text',
    ],
  },
  {
    name: 'audit history with a search path',
    schema:
      posts('a9') +
      audit('a9') +
      trigger(
        'a9_log',
        `BEGIN INSERT INTO public.a9_audit (tab, op, was, is_now) VALUES (TG_TABLE_NAME, TG_OP, to_jsonb(OLD), to_jsonb(NEW)); RETURN NULL; END`,
        'AFTER UPDATE OR DELETE ON a9_posts FOR EACH ROW',
        `SET search_path = ''`,
      ),
    statements: [
      `UPDATE a9_posts SET title = 'x' WHERE id < 3`,
      'SELECT tab, op, was, is_now FROM a9_audit ORDER BY tab, op, was::text',
    ],
  },
  {
    name: 'soft delete by a BEFORE trigger that updates',
    schema:
      posts('b1') +
      trigger(
        'b1_soft',
        'BEGIN UPDATE b1_posts SET deleted = true WHERE id = OLD.id; RETURN NULL; END',
        'BEFORE DELETE ON b1_posts FOR EACH ROW',
      ),
    statements: [
      'DELETE FROM b1_posts WHERE id = 1',
      'SELECT id, deleted FROM b1_posts ORDER BY id',
    ],
  },
  {
    name: 'counter by UPDATE',
    schema:
      posts('b2') +
      counts('b2') +
      trigger(
        'b2_count',
        'BEGIN UPDATE b2_counts SET n = n + 1 WHERE author = NEW.author; RETURN NULL; END',
        'AFTER INSERT ON b2_posts FOR EACH ROW',
      ),
    statements: [`INSERT INTO b2_posts (id, author) VALUES (8, 0), (9, 0)`, ...see('b2_counts')],
  },
  {
    name: 'counter by upsert',
    schema:
      posts('b3') +
      counts('b3') +
      trigger(
        'b3_count',
        'BEGIN INSERT INTO b3_counts (author, n) VALUES (NEW.author, 1) ON CONFLICT (author) DO UPDATE SET n = b3_counts.n + excluded.n; RETURN NULL; END',
        'AFTER INSERT ON b3_posts FOR EACH ROW',
      ),
    statements: [
      `INSERT INTO b3_posts (id, author) VALUES (7, 0), (8, 5), (9, 5)`,
      ...see('b3_counts'),
    ],
  },
  {
    name: 'tags by ON CONFLICT DO NOTHING',
    schema: `CREATE TABLE b4_tags (name text PRIMARY KEY); INSERT INTO b4_tags VALUES ('old');${posts('b4')}${trigger(
      'b4_tag',
      "BEGIN INSERT INTO b4_tags SELECT unnest(string_to_array(NEW.title, ' ')) ON CONFLICT DO NOTHING; RETURN NULL; END",
      'AFTER INSERT OR UPDATE ON b4_posts FOR EACH ROW',
    )}`,
    statements: [
      `INSERT INTO b4_posts (id, title) VALUES (8, 'old new'), (9, 'new newer')`,
      ...see('b4_tags'),
    ],
  },
  {
    name: 'totals of a statement by transition tables',
    schema:
      posts('b5') +
      counts('b5') +
      `CREATE FUNCTION b5_sum() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN UPDATE b5_counts c SET n = c.n + s.n FROM (SELECT author, count(*) AS n FROM added GROUP BY author) s WHERE s.author = c.author; RETURN NULL; END $f$;
CREATE TRIGGER b5_sum AFTER INSERT ON b5_posts REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION b5_sum();`,
    statements: [`INSERT INTO b5_posts (id, author) VALUES (8, 0), (9, 0)`, ...see('b5_counts')],
  },
  {
    name: 'a statement trigger that counts statements',
    schema:
      posts('b6') +
      counts('b6') +
      trigger(
        'b6_note',
        'BEGIN UPDATE b6_counts SET n = n + 1; RETURN NULL; END',
        'AFTER UPDATE ON b6_posts FOR EACH STATEMENT',
      ),
    statements: [`UPDATE b6_posts SET title = 'x'`, ...see('b6_counts')],
  },
  {
    name: 'a statement trigger that refuses',
    schema:
      posts('b7') +
      trigger(
        'b7_guard',
        `BEGIN RAISE EXCEPTION 'no deletions' USING ERRCODE = 'P0098'; END`,
        'BEFORE DELETE ON b7_posts FOR EACH STATEMENT',
      ),
    statements: ['DELETE FROM b7_posts', ...see('b7_posts')],
  },
  {
    name: 'ledger with a deferred balance check',
    schema: `${accounts('b8')}
CREATE FUNCTION b8_balanced() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN IF (SELECT sum(amount) FROM b8_lines) <> 0 THEN RAISE EXCEPTION 'not balanced' USING ERRCODE = 'P0097'; END IF; RETURN NULL; END $f$;
CREATE CONSTRAINT TRIGGER b8_balanced AFTER INSERT OR UPDATE ON b8_lines DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION b8_balanced();`,
    statements: [
      `BEGIN; INSERT INTO b8_lines (account, amount) VALUES (1, -5); INSERT INTO b8_lines (account, amount) VALUES (2, 5); COMMIT`,
      `INSERT INTO b8_lines (account, amount) VALUES (1, 7)`,
      'SELECT account, amount FROM b8_lines ORDER BY 1, 2',
    ],
  },
  {
    name: 'ledger with an immediate constraint trigger',
    schema: `${accounts('b9')}
CREATE FUNCTION b9_positive() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN IF (SELECT sum(amount) FROM b9_lines WHERE account = NEW.account) < 0 THEN RAISE EXCEPTION 'below zero' USING ERRCODE = 'P0097'; END IF; RETURN NULL; END $f$;
CREATE CONSTRAINT TRIGGER b9_positive AFTER INSERT ON b9_lines FOR EACH ROW EXECUTE FUNCTION b9_positive();`,
    statements: [
      `INSERT INTO b9_lines (account, amount) VALUES (1, 7)`,
      `INSERT INTO b9_lines (account, amount) VALUES (1, -9)`,
      'SELECT account, amount FROM b9_lines ORDER BY 1, 2',
    ],
  },
  {
    name: 'row count of a parent by AFTER trigger',
    schema:
      posts('c1') +
      trigger(
        'c1_like',
        'BEGIN UPDATE c1_posts SET likes = likes + 1 WHERE id = NEW.post; RETURN NEW; END',
        'AFTER INSERT ON c1_likes FOR EACH ROW',
      ).replace(
        /^/,
        'CREATE TABLE c1_likes (post int REFERENCES c1_posts, person int, PRIMARY KEY (post, person));',
      ),
    statements: [
      'INSERT INTO c1_likes VALUES (1, 1), (1, 2), (2, 1)',
      'SELECT id, likes FROM c1_posts ORDER BY id',
    ],
  },
];
