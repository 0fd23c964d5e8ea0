/** The rules of the source that neither the compiler nor Biome enforces, and the layers, which Biome shows in the editor. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { facts } from '../src/db/sql-file.ts';
import { assert, suite } from './helpers/suite.ts';

interface Source {
  readonly path: string;
  readonly text: string;
}

const files = (folder: string, ending: RegExp): Source[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => ending.test(name))
    .map((name) => ({ path: join(folder, name), text: readFileSync(join(folder, name), 'utf8') }));

const sources = (folder: string) => files(folder, /\.tsx?$/);

const product = sources('src');
const tests = sources('test').filter(({ path }) => !path.startsWith('test/fixtures/'));

/** Returns everything that a file imports, statically or dynamically. */
const imports = ({ text }: Source): string[] =>
  [...text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'([^']+)'/g)].map(([, name]) => name as string);

const importersOf = (name: string, files: readonly Source[]): string[] =>
  files
    .filter((file) => imports(file).some((found) => found === name || found.startsWith(`${name}/`)))
    .map(({ path }) => path);

const violations = (files: readonly Source[], rule: RegExp): string[] =>
  files.filter(({ text }) => rule.test(text)).map(({ path }) => path);

/** The rooms that each room may import besides itself. Imports only go down. */
const below: Readonly<Record<string, readonly string[]>> = {
  cli: ['tui', 'mcp', 'client', 'config'],
  mcp: ['client', 'config'],
  tui: ['client', 'config'],
  web: ['client'],
  daemon: [
    ...['client-connection', 'statements', 'rewrite', 'server-connection'],
    ...['rest', 'review', 'overlay', 'staging', 'wire', 'sql', 'db', 'config'],
  ],
  'client-connection': ['server-connection', 'overlay', 'staging', 'wire', 'sql', 'db'],
  statements: ['rewrite', 'server-connection', 'overlay', 'staging', 'wire', 'sql', 'db'],
  rewrite: ['server-connection', 'overlay', 'wire', 'sql', 'db'],
  'server-connection': ['overlay', 'staging', 'wire', 'sql', 'db'],
  rest: ['review', 'overlay', 'staging', 'db'],
  review: ['overlay', 'staging', 'sql', 'db'],
  overlay: ['staging', 'sql', 'db'],
  staging: ['db'],
  wire: [],
  sql: [],
  db: [],
  client: [],
  config: [],
  model: [],
};
/** The commands that do more than send requests to the daemon. They import what they need dynamically. */
const reachPast = [
  ...['serve', 'init', 'doctor', 'uninstall'].map((name) => `service/${name}`),
  'session/run',
].map((name) => `src/cli/commands/${name}.ts`);
const rooms = Object.keys(below).filter((room) => room !== 'model');

/** Scripts that administrators read, as they are. */
const printed = ['role', 'service_role', 'create_role'].map((name) => `doctor/${name}.sql`);

const hasPlaceholders = ({ text }: Source) =>
  [...text.matchAll(/\{\{(\w+)\}\}/g)].some(([, name]) => !(`${name}` in facts));

/** Returns the templates that have placeholders, by their path in templates/sql, without those that are printed. */
const templates = (): Source[] =>
  files('templates/sql', /\.sql$/)
    .filter(hasPlaceholders)
    .map(({ path, text }) => ({ path: path.slice('templates/sql/'.length), text }))
    .filter(({ path }) => !printed.includes(path));

/** Returns whether a file loads a template: by its path, or by one with a part that is known only at run time. */
function loads({ text }: Source, template: string, byParts: boolean): boolean {
  const paths = [...text.matchAll(/loadSql\(['`]([^'`]+)['`]\)/g)].map(
    ([, path]) => path as string,
  );
  const pattern = (path: string) => new RegExp(`^${path.replaceAll(/\$\{\w+\}/g, '\\w+')}$`);
  return paths.some((path) => path === template || (byParts && pattern(path).test(template)));
}

const roomOf = (path: string): string => path.split('/')[1] ?? '';

/** The folders of overlay, each of which may import those before it. `install` and `triggers` are called by others and call them. */
const overlayFolders = [
  '',
  'foreign-keys',
  'rows',
  'approval',
  'inheritance',
  'views',
  'functions',
].map((folder) => join('src/overlay', folder));

/** Returns the rooms that a file imports directly. */
const roomsUsed = (file: Source): string[] =>
  imports(file)
    .filter((name) => name.startsWith('.'))
    .map((name) => roomOf(join(dirname(file.path), name)))
    .filter((room) => room in below);

/** Returns the rooms that biome.json forbids to the files of each glob. */
function refusedByBiome(): Map<string, string[]> {
  const refused = new Map<string, string[]>();
  for (const { includes, linter } of JSON.parse(readFileSync('biome.json', 'utf8')).overrides) {
    const patterns = linter?.rules?.style?.noRestrictedImports?.options?.patterns;
    const rooms = patterns?.[0].group.map((glob: string) => glob.replaceAll(/\*\*|\//g, ''));
    if (rooms) for (const glob of includes) refused.set(glob, rooms);
  }
  return refused;
}

suite('architecture', (test) => {
  for (const [name, room] of [
    ['libpg-query', 'src/sql/'],
    ['node-sql-parser', 'src/tui/'],
    ['pg-protocol', 'src/wire/'],
    ['cosmiconfig', 'src/config/'],
    ['commander', 'src/cli/'],
    ['koa', 'src/rest/'],
    ['undici', 'src/client/'],
    ['@modelcontextprotocol/server', 'src/mcp/'],
  ] as const) {
    test(`${name} is used in ${room} alone`, () => {
      const outside = product.filter(({ path }) => !path.startsWith(room));
      assert.equal(importersOf(name, outside), []);
    });
  }

  test('imports run down only', () => {
    for (const file of product) {
      const room = roomOf(file.path);
      const allowed = [room, 'model', ...(below[room] ?? [])];
      if (reachPast.includes(file.path)) allowed.push('daemon', 'db');
      const wrong = roomsUsed(file).filter((used) => !allowed.includes(used));
      assert.equal(wrong, [], file.path);
    }
  });

  test('no imports run in a circle, of types or not', () => {
    const known = new Map(product.map((file) => [file.path, file]));
    const done = new Set<string>();
    const follow = (path: string, way: readonly string[]): void => {
      assert.ok(!way.includes(path), [...way, path].join(' -> '));
      const file = known.get(path);
      if (file === undefined || done.has(path)) return;
      for (const name of imports(file).filter((each) => each.startsWith('.')))
        follow(join(dirname(path), name), [...way, path]);
      done.add(path);
    };
    for (const { path } of product) follow(path, []);
  });

  test('imports between the folders of overlay run down only', () => {
    for (const file of product.filter(({ path }) => path.startsWith('src/overlay/'))) {
      const used = imports(file).map((name) => dirname(join(dirname(file.path), name)));
      const above = overlayFolders.slice(overlayFolders.indexOf(dirname(file.path)) + 1);
      if (overlayFolders.includes(dirname(file.path)))
        assert.equal(
          used.filter((folder) => above.includes(folder)),
          [],
          file.path,
        );
    }
  });

  test('Biome knows the same layers', () => {
    const refused = refusedByBiome();
    for (const [room, allowed] of Object.entries(below)) {
      const expected = rooms.filter((name) => name !== room && !allowed.includes(name));
      assert.equal(refused.get(`src/${room}/**`)?.sort(), expected.sort(), room);
    }
    const reached = ['cli', 'tui', 'client', 'config', 'daemon', 'db'];
    const commands = rooms.filter((name) => !reached.includes(name));
    for (const path of reachPast) assert.equal(refused.get(path)?.sort(), commands.sort(), path);
  });

  test('commands load the daemon and the database only when they run', () => {
    const cli = product.filter(({ path }) => path.startsWith('src/cli/'));
    assert.equal(violations(cli, /^import (?!type )[^;]*'[./]*\/(?:daemon|db)\//m), []);
  });

  test('the environment is read in config alone', () => {
    const others = product.filter(({ path }) => !path.startsWith('src/config/'));
    assert.equal(violations(others, /process\.env\b|\benv\b[^;]*'node:process'/), []);
  });

  test('no file is longer than 300 lines', () => {
    const long = [...product, ...tests].filter(({ text }) => text.split('\n').length > 301);
    assert.equal(
      long.map(({ path }) => path),
      [],
    );
  });

  test('what is installed is known by its content, and comes from the public registry', () => {
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
    type Entry = { integrity?: string; resolved?: string };
    const entries = Object.entries<Entry>(packages).filter(([path]) => path !== '');
    for (const [path, { integrity, resolved }] of entries) {
      assert.match(integrity ?? 'unknown', /^sha512-/, path);
      assert.match(resolved ?? 'https://registry.npmjs.org/', /^https:\/\/registry\.npmjs\.org\//);
    }
  });

  test('every file says at its head what it is for', () => {
    assert.equal(
      [...product, ...tests].filter(({ text }) => !/^\/\*\*/.test(text)).map(({ path }) => path),
      [],
    );
  });

  test('every template says which file fills it', () => {
    for (const { path, text } of templates()) {
      const named = [...text.matchAll(/\bsrc\/[\w/-]+\.ts\b/g)].map(([name]) => name);
      const fillers = (byParts: boolean) =>
        product.filter((file) => loads(file, path, byParts)).map((file) => file.path);
      assert.match(text, /\b[Ff]illed in src\//, path);
      for (const name of named) assert.ok(fillers(true).includes(name), `${path} names ${name}`);
      for (const name of fillers(false)) assert.ok(named.includes(name), `${name} fills ${path}`);
    }
  });

  test('the schemas of the service are listed once', () => {
    const kinds = 'overlay|upsert|load|tree|function';
    const list = new RegExp(`(?:${kinds})\\|(?:${kinds})`);
    const sql = ['templates/sql', 'templates/agents'].flatMap((folder) => files(folder, /\.sql$/));
    const current = sql.filter(({ path }) => !path.includes('/migrations/'));
    assert.equal(violations([...product, ...current], list), []);
  });

  test('every test file runs a suite, through the one door to uvu', () => {
    const suites = tests.filter(({ path }) => /\.test\.tsx?$/.test(path));
    // Directly, or through a helper that defines suites.
    const starts = /^\s*(?:suite|fuzzSuite|attack|attackAs|prove)\(/m;
    const idle = suites.filter(({ text }) => !starts.test(text)).map(({ path }) => path);
    assert.equal(idle, []);
    assert.equal(importersOf('uvu', [...product, ...tests]), ['test/helpers/suite.ts']);
    assert.equal(importersOf('node:assert', tests), []);
  });
});
