/** Where values come from, which of them takes precedence, and the messages about wrong ones. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { demandTrust } from '../../src/config/demand-trust.ts';
import { describeConfig } from '../../src/config/describe.ts';
import { loadConfig } from '../../src/config/load.ts';
import { settingNames } from '../../src/config/schema.ts';
import { StageError } from '../../src/errors.ts';
import { assert, suite } from '../helpers/suite.ts';

suite('configuration', (test) => {
  let base = '';
  let cwd = '';
  let env: Record<string, string> = {};
  test.beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), 'stage-config-'));
    cwd = join(base, 'project');
    mkdirSync(cwd);
    writeFileSync(join(cwd, 'package.json'), '{}');
    env = { HOME: join(base, 'home') };
  });
  test.afterEach(() => rmSync(base, { recursive: true, force: true }));

  const write = (path: string, content: string) => {
    mkdirSync(dirname(join(base, path)), { recursive: true });
    writeFileSync(join(base, path), content);
  };
  const load = (flags: Record<string, unknown> = {}) => loadConfig({ flags, env, cwd });
  const fault = (flags: Record<string, unknown> = {}): StageError => {
    try {
      load(flags);
    } catch (error) {
      assert.instance(error, StageError);
      return error as StageError;
    }
    throw new Error('no fault was found');
  };

  test('has a default for everything', () => {
    const { settings, origins } = load();
    assert.is(settings.port, 8080);
    assert.is(settings.proxyPort, 5433);
    assert.is(settings.proxyHost, '127.0.0.1');
    assert.is(settings.upstream, null);
    assert.is(settings.maxStatementBytes, 16_777_216);
    for (const name of settingNames) assert.is(origins[name].level, 'default', name);
  });

  test('takes the keys of the review from the user alone', () => {
    write('home/.config/stage/config.yaml', 'keys: {down: [j, down], nextTable: n}');
    assert.equal(load().settings.keys, { down: ['j', 'down'], nextTable: ['n'] });
    write('home/.config/stage/config.yaml', 'keys: {down: 1}');
    assert.match(fault().message, /`keys` must be names with a list of texts each/);
    write('home/.config/stage/config.yaml', '');
    write('project/stage.config.yaml', 'keys: {approve: j}');
    assert.equal(load().settings.keys, {});
    assert.throws(() => demandTrust(load(), ['keys']), /sets `keys`, and is not trusted/);
  });

  test('takes flag before environment before project file before user file', () => {
    write('home/.config/stage/config.yaml', 'port: 1\nproxy_port: 1\nlog_level: debug\nhost: h1');
    write('project/stage.config.yaml', 'port: 2\nproxy_port: 2\nlog_level: warn');
    Object.assign(env, { STAGE_PORT: '3', STAGE_PROXY_PORT: '3' });
    const { settings, origins } = load({ port: '4' });
    assert.equal(
      [settings.port, settings.proxyPort, settings.logLevel, settings.host, settings.proxyHost],
      [4, 3, 'warn', 'h1', 'h1'],
    );
    assert.equal(
      [origins.port, origins.proxyPort, origins.logLevel, origins.host].map(({ level }) => level),
      ['flag', 'environment', 'file', 'user file'],
    );
    assert.is(origins.port.name, '--port');
    assert.is(origins.proxyPort.name, 'STAGE_PROXY_PORT');
    assert.is(origins.logLevel.name, join(base, 'project/stage.config.yaml'));
    assert.is(origins.proxyHost.level, 'user file');
  });

  test('takes STAGE_UPSTREAM before DATABASE_URL, and an empty variable for none', () => {
    Object.assign(env, { DATABASE_URL: 'postgres://db/a', STAGE_UPSTREAM: '' });
    assert.is(load().settings.upstream, 'postgres://db/a');
    assert.is(load().origins.upstream.name, 'DATABASE_URL');
    env['STAGE_UPSTREAM'] = 'postgresql://db/b';
    assert.is(load().settings.upstream, 'postgresql://db/b');
  });

  for (const [name, content] of [
    ['stage.config.json', '{"port": 7}'],
    ['stage.config.yml', 'port: 7'],
    ['.stagerc', 'port: 7'],
    ['.stagerc.json', '{"port": 7}'],
    ['.config/stagerc.yaml', 'port: 7'],
  ] as const) {
    test(`reads ${name}`, () => {
      write(`project/${name}`, content);
      assert.is(load().settings.port, 7);
    });
  }

  test('finds the file from a folder inside the project, and climbs no further', () => {
    write('stage.config.yaml', 'port: 7');
    cwd = join(base, 'project/deep/inside');
    mkdirSync(cwd, { recursive: true });
    assert.is(load().settings.port, 8080);
    write('project/.stagerc', 'port: 8');
    assert.is(load().settings.port, 8);
    cwd = join(base, 'elsewhere');
    mkdirSync(cwd);
    assert.is(load().settings.port, 8080);
  });

  test('reads paths from where they are written', () => {
    write('project/conf/mine.yaml', 'tls_cert: ../cert.pem\ntls_key: /etc/key.pem');
    const { settings } = load({ config: 'conf/mine.yaml', embedded: 'data' });
    assert.is(settings.tlsCert, join(cwd, 'cert.pem'));
    assert.is(settings.tlsKey, '/etc/key.pem');
    assert.is(settings.embedded, join(cwd, 'data'));
  });

  test('takes --config in place of the project file, and STAGE_CONFIG too', () => {
    write('project/stage.config.yaml', 'port: 7\nhost: other');
    write('project/mine.json', '{"port": 9, "server": "http://ci:1"}');
    const { settings } = load({ config: 'mine.json' });
    assert.equal([settings.port, settings.host, settings.server], [9, '127.0.0.1', 'http://ci:1']);
    env['STAGE_CONFIG'] = join(cwd, 'mine.json');
    assert.is(load().settings.port, 9);
  });

  test('reads lists and switches from text and from files', () => {
    env['STAGE_ALLOW_FUNCTIONS'] = 'a.f, g';
    env['STAGE_ALLOW_UNAUTHENTICATED'] = '1';
    assert.equal(load().settings.allowFunctions, ['a.f', 'g']);
    assert.is(load().settings.allowUnauthenticated, true);
    env = { HOME: base };
    write('project/.stagerc', 'allow_functions: [h]\nembedded: true');
    env['STAGE_TRUST'] = '1';
    assert.equal(load().settings.allowFunctions, ['h']);
    assert.is(load().settings.embedded, true);
    assert.is(load({ embedded: 'false' }).settings.embedded, null);
  });

  test('takes columns by table and name alone, and says which of them is none', () => {
    env['STAGE_CONFLICT_IGNORE_COLUMNS'] = '*.updated_at, public.orders.seen';
    assert.equal(load().settings.conflictIgnoreColumns, ['*.updated_at', 'public.orders.seen']);
    env = { HOME: base, STAGE_TRUST: '1' };
    write('project/stage.config.yaml', 'conflict_ignore_columns: ["orders.seen", "orders.*"]');
    const { code, message, hint } = fault();
    assert.is(code, 'configuration_invalid');
    assert.match(
      message,
      /stage\.config\.yaml: `conflict_ignore_columns` must be a list of columns/,
    );
    assert.match(message, /such as `\*\.updated_at`, .+, and "orders\.\*" names none$/);
    assert.match(hint ?? '', 'stage serve --print-config');
    write('project/stage.config.yaml', 'conflict_ignore_columns: [7]');
    assert.match(fault().message, /`conflict_ignore_columns` must be a list of columns/);
    env = { HOME: base };
    assert.equal(load().settings.conflictIgnoreColumns, []);
  });

  test('names every fault at once, and the nearest key for an unknown one', () => {
    write('project/stage.config.yaml', 'proxyport: 1\nport: many');
    env['STAGE_LOG_LEVEL'] = 'loud';
    const { code, message } = fault({ conflictScope: 'table', tlsKey: 'key' });
    assert.is(code, 'configuration_invalid');
    assert.match(message, /there is no option `proxyport`, did you mean `proxy_port`\?/);
    assert.match(message, /stage\.config\.yaml: `port` must be a port number from 0 to 65535/);
    assert.match(message, /STAGE_LOG_LEVEL must be one of debug, info, warn, error, silent/);
    assert.match(message, /--conflict-scope must be one of row, column/);
    assert.match(message, /`tls_cert` and `tls_key` go together/);
    assert.match(message, /5 faults/);
  });

  test('does not repeat what may hold a password', () => {
    const { message } = fault({ upstream: 'mysql://u:hunter2@db/x' });
    assert.match(message, '--upstream must be a URL (postgresql:// or postgres://)');
    assert.not.match(message, 'hunter2');
  });

  test('says which file cannot be read', () => {
    write('project/.stagerc.json', '{"port": ');
    assert.match(fault().message, /\.stagerc\.json: JSON Error/);
    assert.match(fault({ config: 'none.yaml' }).message, /none\.yaml: ENOENT/);
    write('project/list.yaml', '- 1');
    assert.match(fault({ config: 'list.yaml' }).message, /must hold keys and values/);
  });

  test('runs no script that a project brings along', () => {
    const mark = join(base, 'ran');
    const script = `require('fs').writeFileSync(${JSON.stringify(mark)}, '')`;
    write('project/.config/config.js', script);
    write('project/stage.config.js', script);
    write('project/.stagerc.cjs', script);
    write('project/.stagerc.json', '{"$import": "./evil.cjs"}');
    write('project/evil.cjs', script);
    const before = process.cwd();
    process.chdir(cwd);
    try {
      assert.match(fault().message, /no option `\$import`/);
      assert.match(fault({ config: 'evil.cjs' }).message, /only \.json, \.yaml and \.yml/);
    } finally {
      process.chdir(before);
    }
    assert.throws(() => rmSync(mark), /ENOENT/);
  });

  test('shows every value with its origin, and no secret', () => {
    env['STAGE_TOKEN'] = 'top-secret';
    const upstream = 'postgresql://u:hunter2@db/x?sslpassword=hunter3&sslmode=require';
    const text = describeConfig(load({ upstream, port: '9' }));
    assert.is(text.trim().split('\n').length, settingNames.length);
    assert.match(text, /^port: 9 +# --port$/m);
    assert.match(text, /^token: "\*\*\*" +# STAGE_TOKEN$/m);
    assert.match(
      text,
      /^upstream: "postgresql:\/\/u:\*\*\*@db\/x\?sslpassword=\*\*\*&sslmode=require" +# --upstream$/m,
    );
    assert.match(text, /^proxy_port: 5433 +# default$/m);
    assert.not.match(text, /hunter|top-secret/);
  });
});
