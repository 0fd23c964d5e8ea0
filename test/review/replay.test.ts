/** Approval brings production to exactly what the session saw, in every order of changes that constraints allow. */

import { replay } from '../helpers/replay.ts';
import type { StagingDatabase } from '../helpers/staging-database.ts';
import { createStagingDatabase } from '../helpers/staging-database.ts';
import { suite } from '../helpers/suite.ts';

const schema = `
CREATE EXTENSION IF NOT EXISTS btree_gist;
CREATE TABLE p (id int PRIMARY KEY, code text UNIQUE, v varchar(5));
CREATE TABLE c_na (id int PRIMARY KEY, pid int REFERENCES p (id), x int);
CREATE TABLE c_re (id int PRIMARY KEY, pid int REFERENCES p (id) ON DELETE RESTRICT ON UPDATE RESTRICT, x int);
CREATE TABLE c_ca (id int PRIMARY KEY, pid int REFERENCES p (id) ON DELETE CASCADE ON UPDATE CASCADE, x int);
CREATE TABLE g_ca (id int PRIMARY KEY, cid int REFERENCES c_ca (id) ON DELETE CASCADE, pid int REFERENCES p (id) ON DELETE CASCADE ON UPDATE CASCADE);
CREATE TABLE c_sn (id int PRIMARY KEY, pid int REFERENCES p (id) ON DELETE SET NULL ON UPDATE CASCADE, x int);
CREATE TABLE c_sd (id int PRIMARY KEY, pid int DEFAULT 0 REFERENCES p (id) ON DELETE SET DEFAULT, x int);
CREATE TABLE c_df (id int PRIMARY KEY, pid int REFERENCES p (id) DEFERRABLE INITIALLY DEFERRED, x int);
CREATE TABLE c_key (pid int REFERENCES p (id) ON UPDATE CASCADE ON DELETE CASCADE, n int, x int, PRIMARY KEY (pid, n));
CREATE TABLE task (id int PRIMARY KEY, owner int REFERENCES p (id) ON UPDATE CASCADE ON DELETE SET NULL,
  worker int REFERENCES p (id) ON UPDATE CASCADE ON DELETE SET NULL);
CREATE TABLE tree (id int PRIMARY KEY, parent int REFERENCES tree (id) ON DELETE CASCADE);
CREATE TABLE pos (id int PRIMARY KEY, n int UNIQUE, m int, CONSTRAINT pos_m UNIQUE (m) DEFERRABLE INITIALLY IMMEDIATE);
CREATE TABLE book (id int PRIMARY KEY, room int, during int4range, EXCLUDE USING gist (room WITH =, during WITH &&));
CREATE TABLE gen (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, a int DEFAULT 5, twice int GENERATED ALWAYS AS (a * 2) STORED,
  "End" text DEFAULT upper('x'), p_session text);
CREATE TABLE loop_a (id int PRIMARY KEY, b int);
CREATE TABLE loop_b (id int PRIMARY KEY, a int REFERENCES loop_a DEFERRABLE);
ALTER TABLE loop_a ADD FOREIGN KEY (b) REFERENCES loop_b DEFERRABLE;
CREATE TABLE part (id int, region text, v int, PRIMARY KEY (id, region)) PARTITION BY LIST (region);
CREATE TABLE part_eu PARTITION OF part FOR VALUES IN ('eu'); CREATE TABLE part_us PARTITION OF part FOR VALUES IN ('us');
CREATE TYPE mood AS ENUM ('sad', 'glad'); CREATE DOMAIN code AS varchar(8) CHECK (VALUE <> '');
CREATE TABLE typed (k mood, c code, PRIMARY KEY (k, c), arr int[], r int4range, i interval, ip inet, bits bit(3), padded char(5));
CREATE TABLE odd ("Key ""A" text, "by" uuid, p jsonb, doc json, n numeric(20, 4), f float8, ts timestamptz, b bytea,
  PRIMARY KEY ("Key ""A", "by"));`;

const data = `
INSERT INTO p VALUES (0,'z','v'),(1,'a','v'),(2,'b','v'),(3,'c','v'),(4,'d','v'),(5,'e','v'),(6,'f','v'),(7,'g','v');
INSERT INTO c_na VALUES (1,1,1),(2,1,2); INSERT INTO c_re VALUES (1,2,1); INSERT INTO c_ca VALUES (1,3,1),(2,3,2),(3,7,3);
INSERT INTO g_ca VALUES (1,1,3),(2,2,3),(3,3,7),(4,3,3); INSERT INTO c_sn VALUES (1,4,1); INSERT INTO c_sd VALUES (1,5,1);
INSERT INTO c_df VALUES (1,6,1); INSERT INTO c_key VALUES (3,1,1),(3,2,2),(7,1,3);
INSERT INTO task VALUES (1,7,7),(2,6,7);
INSERT INTO tree VALUES (1,NULL),(2,1),(3,2),(4,2); INSERT INTO pos VALUES (1,1,1),(2,2,2),(3,3,3);
INSERT INTO book VALUES (1,1,'[1,5)'),(2,1,'[10,20)');
INSERT INTO gen (a) VALUES (1),(2);
INSERT INTO part VALUES (1,'eu',1),(2,'us',2); INSERT INTO typed VALUES ('sad','x','{1,2}','[1,5)','1 day','10.0.0.1','101','ab');
INSERT INTO odd VALUES ('k', '00000000-0000-0000-0000-000000000001', '{"a": 12345678901234567890.10}', '{"b":  1}', 1.5000, 0.1,
  '2026-01-01 00:00:00.123456+00', '\\xdead');`;

const cases: Record<string, string> = {
  'unique swap by way of a third value':
    'UPDATE pos SET n=99 WHERE id=1; UPDATE pos SET n=1 WHERE id=2; UPDATE pos SET n=2 WHERE id=1',
  'deferrable unique swapped by one statement': 'UPDATE pos SET m=4-m',
  'unique shifted row by row': 'UPDATE pos SET n=n+10; UPDATE pos SET n=n-9',
  'unique freed by a delete and taken by an insert': `DELETE FROM tree; DELETE FROM p WHERE id=0; INSERT INTO p VALUES (100,'z','n'); UPDATE p SET code='z2' WHERE id=100; INSERT INTO p VALUES (0,'z','v')`,
  'parent before child, child before parent': `INSERT INTO p VALUES (50,'n','n'); INSERT INTO c_na VALUES (50,50,0); DELETE FROM c_na WHERE pid=1; DELETE FROM p WHERE id=1`,
  'one statement writes child and parent': `WITH a AS (INSERT INTO c_na VALUES (71,71,1) RETURNING pid) INSERT INTO p SELECT pid,'w2' FROM a`,
  'one statement writes many children and parents': `WITH a AS (INSERT INTO c_na SELECT g, g, 1 FROM generate_series(71,90) g RETURNING pid) INSERT INTO p SELECT pid,'w'||pid FROM a`,
  'one statement deletes parent and child':
    'WITH a AS (DELETE FROM p WHERE id=1) DELETE FROM c_na WHERE pid=1',
  'several foreign keys to one row':
    'DELETE FROM c_ca WHERE pid=7; UPDATE p SET id=70 WHERE id=7; DELETE FROM p WHERE id=70',
  'cascade of two levels and a diamond': 'DELETE FROM p WHERE id=3',
  'cascade from several parents': 'DELETE FROM p WHERE id IN (3,7)',
  'cascade over staged children':
    'UPDATE c_ca SET x=7; INSERT INTO c_ca VALUES (9,3,1); DELETE FROM p WHERE id=3',
  'cascade in a tree': 'INSERT INTO tree VALUES (10,11),(11,3); DELETE FROM tree WHERE id=1',
  'rows of one statement at both ends of a cascade':
    'INSERT INTO tree VALUES (10,NULL),(11,10),(12,11),(13,12); DELETE FROM tree WHERE id IN (10,12)',
  'set null and set default': 'DELETE FROM p WHERE id=4; DELETE FROM p WHERE id=5',
  'on update cascade':
    'UPDATE p SET id=30 WHERE id=3; UPDATE p SET id=40 WHERE id=4; UPDATE p SET id=31 WHERE id=30',
  'on update cascade, then on': `UPDATE p SET id=30 WHERE id=3; UPDATE c_key SET x=x+100; UPDATE c_ca SET x=5 WHERE pid=30; UPDATE p SET id=3 WHERE id=30; UPDATE p SET v='end' WHERE id=3`,
  'deferred foreign key: child first': `BEGIN; INSERT INTO c_df VALUES (9,60,0); INSERT INTO p VALUES (60,'n'); COMMIT`,
  'deferred foreign key: parent replaced': `BEGIN; DELETE FROM p WHERE id=6; INSERT INTO p VALUES (6,'f2'); COMMIT`,
  'chain of keys': `DELETE FROM c_sd; UPDATE p SET id=200 WHERE id=0; UPDATE p SET id=0 WHERE id=200; UPDATE p SET id=201 WHERE id=0; INSERT INTO p VALUES (0,'zz','v')`,
  'moved to the key of a deleted row':
    'DELETE FROM pos WHERE id=1; UPDATE pos SET id=1 WHERE id=2; UPDATE pos SET n=50 WHERE id=1',
  'a circle of deferrable foreign keys':
    'WITH a AS (INSERT INTO loop_a VALUES (1, 1)) INSERT INTO loop_b VALUES (1, 1)',
  partitions: `UPDATE part SET region = 'us' WHERE id = 1; INSERT INTO part VALUES (3, 'eu', 3); UPDATE part SET v = v + 1; DELETE FROM part WHERE id = 2`,
  'types of many kinds': `UPDATE typed SET arr = '[0:1]={7,8}', r = 'empty', i = '-1 mon 3 days 04:05:06.789', bits = '010'; UPDATE typed SET k = 'glad', c = 'y'; INSERT INTO typed (k, c, padded) VALUES ('sad', 'x', 'z')`,
  'exclusion moved': `UPDATE book SET during='[50,60)' WHERE id=1; INSERT INTO book VALUES (7,1,'[1,5)')`,
  'insert, update, delete of one row': `INSERT INTO p VALUES (80,'n','n'); UPDATE p SET v='m' WHERE id=80; DELETE FROM p WHERE id=80; INSERT INTO p VALUES (81,'n','n'); UPDATE p SET v='m' WHERE id=81; UPDATE p SET v='o', id=82 WHERE id=81`,
  'delete and insert again': `DELETE FROM c_sd; DELETE FROM p WHERE id=0; INSERT INTO p VALUES (0,'new','v'); UPDATE p SET v='w' WHERE id=0`,
  'generated and identity columns': `INSERT INTO gen (a) VALUES (10),(11); UPDATE gen SET a=a+1; DELETE FROM gen WHERE a=2; INSERT INTO gen DEFAULT VALUES; UPDATE gen SET p_session='x', "End"=NULL`,
  'odd names and types': `UPDATE odd SET p='{"a": 98765432109876543210.10}', n=0.3, f=0.30000000000000004, b='\\x00ff', ts='infinity'; UPDATE odd SET "by"='00000000-0000-0000-0000-000000000002', doc='{"b":1 }'; INSERT INTO odd ("Key ""A", "by") VALUES ('a,"b''{{x}} \\ $body', '00000000-0000-0000-0000-000000000001')`,
  'many rows by one statement': `INSERT INTO p SELECT g, 'n'||g, 'x' FROM generate_series(1000,1299) g; UPDATE p SET v='y' WHERE id>=1000; DELETE FROM p WHERE id>=1150`,
  'nothing at all': '',
};

suite('replay', (test) => {
  let staging: StagingDatabase;
  test.before(async () => {
    staging = await createStagingDatabase(schema, data);
  });
  test.after(() => staging.close());
  test.afterEach(() => staging.reset());

  for (const [name, statements] of Object.entries(cases)) {
    test(name, () => replay(staging, statements));
  }
});

suite('replay of many rows', (test) => {
  let staging: StagingDatabase;
  test.before(async () => {
    staging = await createStagingDatabase(
      'CREATE TABLE shelf (id int PRIMARY KEY, place int UNIQUE)',
      'INSERT INTO shelf SELECT g, g FROM generate_series(1, 9000) g',
    );
  });
  test.after(() => staging.close());

  test('shifted in an order that only staging knew', () =>
    // with statistics PostgreSQL uses a hash join, in the order of the table, in which one row collides with the next
    replay(
      staging,
      `UPDATE shelf SET place = place + 1
       FROM (SELECT id AS wanted FROM shelf ORDER BY id DESC LIMIT 2000) x WHERE id = wanted`,
      () => staging.database.query('ANALYZE'),
    ));
});
