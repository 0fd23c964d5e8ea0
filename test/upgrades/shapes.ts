/** Tables of every shape, each with 100 rows, and what sessions write to them. */

export interface Shape {
  readonly name: string;
  /** Creates the table. */
  readonly definition: string;
  /** The table's name in SQL. */
  readonly table: string;
  /** The text after INSERT INTO: `$id` is the number of the row. */
  readonly insert: string;
  /** The text after SET. */
  readonly set: string;
  /** The column with the number of the row; `id` by default. */
  readonly id?: string;
  /** Whether all values of a row identify it: its approval cannot be reverted. */
  readonly isKeyless?: true;
  /** Runs on production before the upgrade, and after sessions have staged. */
  readonly altered?: string;
}

const rows = 'generate_series(0, 99) g';
const longName = 'a_table_whose_name_is_as_long_as_a_name_can_be_in_postgresql_ok';
const longColumn = 'a_column_whose_name_is_as_long_as_a_name_can_be_in_postgresql_1';
const wide = Array.from({ length: 40 }, (_, index) => `c${index}`);

export const shapes: readonly Shape[] = [
  {
    name: 'plain',
    definition: `CREATE TABLE plain (id int PRIMARY KEY, v int DEFAULT 7, note text NOT NULL);
      INSERT INTO plain SELECT g, g, 'n' || g FROM ${rows}`,
    table: 'plain',
    insert: `plain VALUES ($id, DEFAULT, 'new')`,
    set: `v = v + 1, note = note || '!'`,
  },
  {
    name: 'identity',
    definition: `CREATE TABLE numbered (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, s serial, v int);
      INSERT INTO numbered OVERRIDING SYSTEM VALUE SELECT g, g, g FROM ${rows}`,
    table: 'numbered',
    insert: 'numbered (id, v) OVERRIDING SYSTEM VALUE VALUES ($id, 1)',
    set: 'v = 5',
  },
  {
    name: 'generated',
    definition: `CREATE TABLE computed (id int PRIMARY KEY, a int, twice int GENERATED ALWAYS AS (a * 2) STORED);
      INSERT INTO computed SELECT g, g FROM ${rows}`,
    table: 'computed',
    insert: 'computed VALUES ($id, 3)',
    set: 'a = a + 1',
  },
  {
    name: 'partitioned',
    definition: `CREATE TABLE parts (id int, v int, PRIMARY KEY (id)) PARTITION BY RANGE (id);
      CREATE TABLE parts_low PARTITION OF parts FOR VALUES FROM (0) TO (50);
      CREATE TABLE parts_high PARTITION OF parts FOR VALUES FROM (50) TO (100);
      CREATE TABLE parts_rest PARTITION OF parts DEFAULT;
      INSERT INTO parts SELECT g, g FROM ${rows}`,
    table: 'parts',
    insert: 'parts VALUES ($id, 3)',
    set: 'v = v + 1',
  },
  {
    name: 'inherited',
    definition: `CREATE TABLE animals (id int PRIMARY KEY, v int);
      CREATE TABLE dogs (tail int DEFAULT 1, PRIMARY KEY (id)) INHERITS (animals);
      INSERT INTO animals SELECT g, g FROM ${rows} WHERE g % 2 = 0; INSERT INTO dogs SELECT g, g FROM ${rows} WHERE g % 2 = 1`,
    table: 'animals',
    insert: 'dogs VALUES ($id, 3)',
    set: 'v = v + 1',
  },
  {
    name: 'keyless',
    definition: `CREATE TABLE loose (id int, v int); INSERT INTO loose SELECT g, g FROM ${rows}`,
    table: 'loose',
    insert: 'loose VALUES ($id, 3)',
    set: 'v = v + 1',
    isKeyless: true,
  },
  {
    name: 'wide',
    definition: `CREATE TABLE wide (id int PRIMARY KEY, ${wide.map((name) => `${name} int`).join(', ')});
      INSERT INTO wide (id, c0) SELECT g, g FROM ${rows}`,
    table: 'wide',
    insert: 'wide (id, c20) VALUES ($id, 3)',
    set: 'c0 = c0 + 1, c39 = 1',
  },
  {
    name: 'quoted',
    definition: `CREATE TABLE "Odd ""Name""" ("Id" int PRIMARY KEY, "select" int, "a b" text, "Ünï" text);
      INSERT INTO "Odd ""Name""" SELECT g, g, 'x', 'y' FROM ${rows}`,
    table: '"Odd ""Name"""',
    insert: `"Odd ""Name""" VALUES ($id, 3, 'c', 'd')`,
    set: `"select" = "select" + 1, "a b" = 'changed'`,
    id: '"Id"',
  },
  {
    name: 'long',
    definition: `CREATE TABLE ${longName} (id int PRIMARY KEY, ${longColumn} int); INSERT INTO ${longName} SELECT g, g FROM ${rows}`,
    table: longName,
    insert: `${longName} VALUES ($id, 3)`,
    set: `${longColumn} = 8`,
  },
  {
    name: 'telling',
    definition: `CREATE TABLE telling (id int PRIMARY KEY, old int, new int, image text, base int, session int, key int, "row" int);
      INSERT INTO telling SELECT g, g, g, 'i', g, g, g, g FROM ${rows}`,
    table: 'telling',
    insert: `telling VALUES ($id, 3, 3, 'z', 3, 3, 3, 3)`,
    set: `old = 1, new = 2, image = 'y', base = 3, session = 4, key = 5, "row" = 6`,
  },
  {
    name: 'enum',
    definition: `CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy'); CREATE TABLE moods (id int PRIMARY KEY, m mood, ms mood[]);
      INSERT INTO moods SELECT g, 'ok'::mood, '{sad}'::mood[] FROM ${rows}`,
    table: 'moods',
    insert: `moods VALUES ($id, 'happy', '{ok,sad}')`,
    set: `m = 'sad', ms = ms || 'ok'::mood`,
  },
  {
    name: 'domain',
    definition: `CREATE DOMAIN positive AS int CHECK (VALUE > 0); CREATE DOMAIN several AS int[] CHECK (cardinality(VALUE) < 9);
      CREATE TABLE domains (id int PRIMARY KEY, p positive, s several); INSERT INTO domains SELECT g, g + 1, ARRAY[g] FROM ${rows}`,
    table: 'domains',
    insert: `domains VALUES ($id, 3, '{1,2}')`,
    set: 'p = p + 1, s = s || 4',
  },
  {
    name: 'composite',
    definition: `CREATE TYPE point3 AS (x int, y int, label text); CREATE TABLE points (id int PRIMARY KEY, p point3, ps point3[]);
      INSERT INTO points SELECT g, ROW(g, NULL, 'l')::point3, NULL FROM ${rows}`,
    table: 'points',
    insert: `points VALUES ($id, ROW(1, 2, 'three'), ARRAY[ROW(NULL, NULL, NULL)::point3])`,
    set: 'p.x = (p).x + 1',
  },
  {
    name: 'array',
    definition: `CREATE TABLE arrays (id int PRIMARY KEY, a int[], t text[][]); INSERT INTO arrays SELECT g, ARRAY[g, NULL], '{{a,b},{c,d}}' FROM ${rows}`,
    table: 'arrays',
    insert: `arrays VALUES ($id, '[0:1]={1,2}', '{}')`,
    set: 'a[2] = 9',
  },
  {
    name: 'values',
    definition: `CREATE TABLE kinds (id int PRIMARY KEY, j json, jb jsonb, b bytea, n numeric, f float8, t timestamptz, i interval, r int4range, u uuid, c char(4));
      INSERT INTO kinds SELECT g, '{"k": 1,  "k": 2}', '{"a": 1.10}', '\\x00ff', 1.10, '-0', '2026-01-01 00:00:00.123456Z', '1 mon', '[1,4)', NULL, 'ab' FROM ${rows}`,
    table: 'kinds',
    insert: `kinds VALUES ($id, 'null', 'null', '\\x', 'NaN', 'Infinity', 'infinity', '1 day', 'empty', '00000000-0000-0000-0000-000000000001', 'x')`,
    set: `j = '[1,  2]', jb = jb || '{"b": null}', n = n + 0.001, f = 0.1`,
  },
  {
    name: 'policies',
    definition: `CREATE TABLE guarded (id int PRIMARY KEY, v int, owner text DEFAULT current_user); INSERT INTO guarded SELECT g, g, 'all' FROM ${rows};
      ALTER TABLE guarded ENABLE ROW LEVEL SECURITY; CREATE POLICY seen ON guarded USING (v < 1000) WITH CHECK (v <> 500)`,
    table: 'guarded',
    insert: `guarded VALUES ($id, 3, 'new')`,
    set: 'v = v + 1',
  },
  {
    name: 'parents',
    definition: `CREATE TABLE makers (id int PRIMARY KEY, name text UNIQUE);
      CREATE TABLE products (id int PRIMARY KEY, maker int REFERENCES makers ON DELETE CASCADE ON UPDATE CASCADE);
      CREATE TABLE reviews (id int PRIMARY KEY, product int REFERENCES products ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED);
      INSERT INTO makers SELECT g, 'm' || g FROM ${rows}; INSERT INTO products SELECT g, g FROM ${rows}; INSERT INTO reviews SELECT g, g FROM ${rows}`,
    table: 'makers',
    insert: `makers VALUES ($id, 'made$id')`,
    set: `name = name || 'x'`,
  },
  {
    name: 'children',
    definition: '',
    table: 'reviews',
    insert: 'reviews VALUES ($id, 40)',
    set: 'product = 41',
  },
  {
    name: 'itself',
    definition: `CREATE TABLE nodes (id int PRIMARY KEY, parent int REFERENCES nodes ON DELETE SET NULL); INSERT INTO nodes SELECT g, nullif(g - 1, -1) FROM ${rows}`,
    table: 'nodes',
    insert: 'nodes VALUES ($id, 99)',
    set: 'parent = 98',
  },
  {
    name: 'pair',
    definition: `CREATE TABLE pairs (a int, b text, v int, PRIMARY KEY (b, a)); INSERT INTO pairs SELECT g, 'k', g FROM ${rows}`,
    table: 'pairs',
    insert: `pairs VALUES ($id, 'k', 3)`,
    set: `v = v + 1, b = 'moved'`,
    id: 'a',
  },
  {
    name: 'unique',
    definition: `CREATE TABLE uniques (id int NOT NULL, low text, slot int4range, CHECK (id >= 0), EXCLUDE USING gist (slot WITH &&));
      CREATE UNIQUE INDEX ON uniques (id); CREATE UNIQUE INDEX ON uniques (lower(low)) WHERE low <> '';
      INSERT INTO uniques SELECT g, 'U' || g, int4range(g * 10, g * 10 + 5) FROM ${rows}`,
    table: 'uniques',
    insert: `uniques VALUES ($id, 'N$id', int4range($id * 10, $id * 10 + 5))`,
    set: `low = low || 'X', slot = int4range(lower(slot) + 1, upper(slot))`,
  },
  {
    name: 'triggered',
    definition: `CREATE TABLE triggered (id int PRIMARY KEY, v int, shout text); INSERT INTO triggered SELECT g, g, 'a' FROM ${rows};
      CREATE FUNCTION shout() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN NEW.shout := upper(NEW.shout); RETURN NEW; END $f$;
      CREATE TRIGGER shout BEFORE INSERT OR UPDATE ON triggered FOR EACH ROW EXECUTE FUNCTION shout()`,
    table: 'triggered',
    insert: `triggered VALUES ($id, 3, 'b')`,
    set: 'v = v + 1',
  },
  {
    name: 'view',
    definition: `CREATE TABLE behind (id int PRIMARY KEY, v int, hidden int DEFAULT 1); INSERT INTO behind SELECT g, g FROM ${rows};
      CREATE VIEW seen AS SELECT id, v FROM behind WHERE v < 5000`,
    table: 'seen',
    insert: 'seen VALUES ($id, 3)',
    set: 'v = v + 1',
  },
  {
    name: 'renamed column',
    definition: `CREATE TABLE renamed (id int PRIMARY KEY, v int); INSERT INTO renamed SELECT g, g FROM ${rows}`,
    table: 'renamed',
    insert: 'renamed VALUES ($id, 3)',
    set: 'v = 4',
    altered: 'ALTER TABLE renamed RENAME v TO w; ALTER TABLE renamed ADD v int DEFAULT 5',
  },
  {
    name: 'added column',
    definition: `CREATE TABLE added (id int PRIMARY KEY, v int); INSERT INTO added SELECT g, g FROM ${rows}`,
    table: 'added',
    insert: 'added VALUES ($id, 3)',
    set: 'v = v + 1',
    altered: `ALTER TABLE added ADD w text DEFAULT 'w'`,
  },
];

/** A table that only some sessions write to: a column that they have written is dropped before the upgrade. */
export const dropped: Shape = {
  name: 'dropped column',
  definition: `CREATE TABLE dropped (id int PRIMARY KEY, v int, gone text); INSERT INTO dropped SELECT g, g, 'g' FROM ${rows}`,
  table: 'dropped',
  insert: `dropped VALUES ($id, 3, 'new')`,
  set: `v = v + 1, gone = 'zz'`,
  altered: 'ALTER TABLE dropped DROP COLUMN gone',
};
