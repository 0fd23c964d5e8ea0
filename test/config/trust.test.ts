/** The settings that a project's file can set before and after the user has trusted it. */
import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { demandTrust } from '../../src/config/demand-trust.ts';
import { describeConfig } from '../../src/config/describe.ts';
import { readConfigFile } from '../../src/config/files.ts';
import { loadConfig } from '../../src/config/load.ts';
import { options, settingNames } from '../../src/config/schema.ts';
import { fileSubject, listTrust, revokeTrust, trust } from '../../src/config/trust.ts';
import { chooseProduction } from '../../src/config/upstream.ts';
import { StageError } from '../../src/errors.ts';
import { assert, suite } from '../helpers/suite.ts';

/** A value for each setting that needs trust, as written in a file. */
const values: Readonly<Record<string, string>> = {
  upstream: 'postgresql://evil.example/x',
  embedded: './db',
  token: 'abc',
  token_file: './tokens',
  server: 'http://evil.example',
  server_ca: './ca.pem',
  session: `sess_${'0'.repeat(32)}`,
  keys: '{approve: j}',
  host: '0.0.0.0',
  proxy_host: '0.0.0.0',
  tls_cert: './cert.pem',
  tls_key: './key.pem',
  rest_tls: 'true',
  allow_unauthenticated: 'true',
  four_eyes: 'true',
  conflict_scope: 'column',
  approve_lock_timeout_ms: '1',
  rehearsal: 'authors',
  rehearsal_timeout_ms: '1',
  rehearsal_scan_rows: '0',
  web: 'on',
  allow_publications: 'true',
  allow_functions: '[pg_notify]',
  conflict_ignore_columns: '["*.seen"]',
  sensitive_columns: '["*.iban"]',
  trigger_differences: 'refuse',
  max_connections: '1',
  upgrade_lock_timeout_ms: '1',
  active_session_ttl_hours: '1',
  proposed_session_ttl_hours: '1',
};

suite('trust in the file of a project', (test) => {
  let base = '';
  let cwd = '';
  let file = '';
  let env: Record<string, string> = {};
  test.beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), 'stage-trust-'));
    cwd = join(base, 'project');
    mkdirSync(cwd);
    writeFileSync(join(cwd, 'package.json'), '{}');
    file = join(cwd, 'stage.config.yaml');
    env = { HOME: join(base, 'home') };
  });
  test.afterEach(() => rmSync(base, { recursive: true, force: true }));

  const load = (flags: Record<string, unknown> = {}) => loadConfig({ flags, env, cwd });
  const trustFile = (path = file) => trust(env, fileSubject(readConfigFile(path)));
  const ignored = () => load().untrusted?.settings ?? [];
  const refusal = (work: () => unknown): StageError => {
    try {
      work();
    } catch (error) {
      assert.instance(error, StageError);
      return error as StageError;
    }
    throw new Error('nothing was refused');
  };

  test('has a reason for each setting, and a value here for each that needs it', () => {
    for (const name of settingNames) assert.ok(options[name].project.why.length > 10, name);
    const needy = settingNames.filter((name) => options[name].project.needsTrust);
    assert.equal(needy.map((name) => options[name].key).sort(), Object.keys(values).sort());
  });

  for (const name of settingNames.filter((each) => options[each].project.needsTrust)) {
    const { key } = options[name];
    test(`${key} takes effect after it, and not before`, () => {
      const others = /tls/.test(key) ? ['tls_cert', 'tls_key'].filter((each) => each !== key) : [];
      writeFileSync(file, [key, ...others].map((each) => `${each}: ${values[each]}\n`).join(''));
      const { settings, origins } = load();
      assert.equal(settings[name], name === 'proxyHost' ? settings.host : options[name].default);
      if (name !== 'proxyHost') assert.is(origins[name].level, 'default');
      const { code, message, hint, exit } = refusal(() => demandTrust(load(), [name]));
      assert.equal([code, exit], ['configuration_untrusted', 64]);
      assert.match(message, `${file} sets \`${key}\``);
      assert.match(hint ?? '', 'stage trust');
      trustFile();
      demandTrust(load(), settingNames);
      assert.is(load().origins[name].name, file);
      assert.not.equal(load().settings[name], options[name].default);
    });
  }

  test('is not asked for by settings that a flag or the environment decides', () => {
    writeFileSync(file, 'upstream: postgresql://evil.example/x\nconflict_scope: column');
    env['DATABASE_URL'] = 'postgresql://mine/x';
    assert.equal(ignored(), ['conflictScope']);
    assert.equal(chooseProduction(load(), env), { kind: 'url', url: 'postgresql://mine/x' });
    delete env['DATABASE_URL'];
    assert.match(refusal(() => chooseProduction(load(), env)).message, 'sets `upstream`');
    const { kind } = chooseProduction(load({ embedded: './mine' }), env);
    assert.is(kind, 'embedded');
  });

  test("goes before the user's own file, which does not stand in for it", () => {
    mkdirSync(join(base, 'home/.config/stage'), { recursive: true });
    writeFileSync(join(base, 'home/.config/stage/config.yaml'), 'upstream: postgresql://mine/x');
    writeFileSync(file, 'upstream: postgresql://evil.example/x');
    assert.is(load().settings.upstream, 'postgresql://mine/x');
    assert.match(refusal(() => chooseProduction(load(), env)).message, 'is not trusted');
  });

  test('is in one content: a file that is changed is asked about again', () => {
    writeFileSync(file, 'host: 0.0.0.0');
    trustFile();
    assert.equal(ignored(), []);
    writeFileSync(file, 'host: 0.0.0.1');
    const { message } = refusal(() => demandTrust(load(), ['host']));
    assert.match(message, 'has changed since you trusted it');
    writeFileSync(file, 'host: 0.0.0.0');
    assert.equal(ignored(), []);
  });

  test('is in what was read, whatever is there by then', () => {
    writeFileSync(file, 'host: 0.0.0.0');
    const read = readConfigFile(file);
    writeFileSync(file, 'host: evil.example');
    trust(env, fileSubject(read));
    assert.equal(ignored(), ['host']);
    assert.is(read.hash, createHash('sha256').update('host: 0.0.0.0').digest('hex'));
  });

  test('is in one path: a copy elsewhere is not trusted', () => {
    writeFileSync(file, 'host: 0.0.0.0');
    trustFile();
    writeFileSync(join(cwd, '.stagerc'), 'host: 0.0.0.0');
    rmSync(file);
    assert.equal(ignored(), ['host']);
  });

  test('is asked for a file of a folder above', () => {
    writeFileSync(file, 'host: 0.0.0.0');
    cwd = join(cwd, 'deep');
    mkdirSync(cwd);
    assert.equal(ignored(), ['host']);
    trustFile();
    assert.equal(ignored(), []);
    writeFileSync(join(cwd, '.stagerc.yaml'), 'host: 0.0.0.0');
    assert.equal(ignored(), ['host']);
  });

  test('follows no link to another folder', () => {
    const other = join(base, 'other');
    mkdirSync(other);
    for (const folder of [cwd, other])
      writeFileSync(join(folder, 'stage.config.yaml'), 'embedded: ./db');
    const link = join(base, 'link');
    symlinkSync(cwd, link);
    trustFile();
    cwd = link;
    assert.equal(ignored(), []);
    assert.is(load().settings.embedded, join(base, 'project/db'));
    rmSync(link);
    symlinkSync(other, link);
    assert.equal(ignored(), ['embedded']);
  });

  test('is in what a link leads to', () => {
    const target = join(base, 'target.yaml');
    writeFileSync(target, 'host: 0.0.0.0');
    symlinkSync(target, file);
    trustFile();
    assert.equal(ignored(), []);
    writeFileSync(target, 'host: evil.example');
    assert.equal(ignored(), ['host']);
  });

  test('holds for a file of somebody else, or that others write, as long as it is the same', () => {
    writeFileSync(file, 'host: 0.0.0.0');
    chmodSync(file, 0o666);
    if (process.getuid?.() === 0) chownSync(file, 65_534, 65_534);
    assert.equal(ignored(), ['host']);
    trustFile();
    assert.equal(ignored(), []);
    writeFileSync(file, 'host: evil.example');
    assert.equal(ignored(), ['host']);
  });

  test('is kept for the user alone, and counts only as this user has written it', () => {
    writeFileSync(file, 'host: 0.0.0.0');
    trustFile();
    const folder = join(base, 'home/.local/state/stage/trust');
    const [name = ''] = readdirSync(folder);
    const mark = join(folder, name);
    assert.equal(
      [statSync(folder), statSync(mark)].map(({ mode }) => mode & 0o777),
      [0o700, 0o600],
    );
    chmodSync(mark, 0o666);
    assert.equal(ignored(), ['host'], 'others may write the mark');
    chmodSync(mark, 0o600);
    assert.equal(ignored(), []);
    const text = readFileSync(mark);
    rmSync(mark);
    const elsewhere = join(base, 'mark');
    writeFileSync(elsewhere, text, { mode: 0o600 });
    symlinkSync(elsewhere, mark);
    assert.equal(ignored(), ['host'], 'the mark is a link');
    if (process.getuid?.() !== 0) return;
    rmSync(mark);
    writeFileSync(mark, text, { mode: 0o600 });
    chownSync(mark, 65_534, 65_534);
    assert.equal(ignored(), ['host'], 'the mark is of somebody else');
  });

  test('has one mark a path, and is revoked', () => {
    writeFileSync(file, 'host: 0.0.0.0');
    trustFile();
    writeFileSync(file, 'host: 0.0.0.1');
    trustFile();
    assert.equal(
      listTrust(env).map(({ kind, path }) => [kind, path]),
      [['file', file]],
    );
    assert.ok(revokeTrust(env, file));
    assert.not.ok(revokeTrust(env, file));
    assert.equal(ignored(), ['host']);
  });

  test('is said by STAGE_TRUST, --config and STAGE_CONFIG', () => {
    writeFileSync(file, 'host: 0.0.0.0');
    for (const said of ['0', '', 'yes']) {
      env['STAGE_TRUST'] = said;
      assert.equal(ignored(), ['host'], said);
    }
    env['STAGE_TRUST'] = '1';
    assert.is(load().settings.host, '0.0.0.0');
    delete env['STAGE_TRUST'];
    assert.is(load({ config: file }).settings.host, '0.0.0.0');
    env['STAGE_CONFIG'] = file;
    assert.is(load().settings.host, '0.0.0.0');
  });

  test('cannot be had without a folder for state, and says so', () => {
    writeFileSync(file, 'host: 0.0.0.0');
    writeFileSync(join(base, 'home'), 'no folder');
    assert.equal(ignored(), ['host']);
    const { code, hint } = refusal(() => trustFile());
    assert.is(code, 'configuration_invalid');
    assert.match(hint ?? '', 'XDG_STATE_HOME');
    env['XDG_STATE_HOME'] = join(base, 'state');
    trustFile();
    assert.equal(ignored(), []);
    assert.ok(readdirSync(dirname(join(base, 'state/stage/trust'))).includes('trust'));
  });

  test('is named where the configuration is shown', () => {
    writeFileSync(file, 'host: 0.0.0.0\nport: 9');
    const text = describeConfig(load());
    assert.match(text, `"127.0.0.1"`);
    assert.match(text, `default, before \`stage trust ${file}\``);
    assert.match(text, /^port: 9 /m);
  });
});
