/** Which startup parameters select a session, which pass, and which are refused. Misspelled ones never pass. */

import { pinnedParameters, readLogin } from '../../src/client-connection/startup-parameters.ts';
import type { StageError } from '../../src/errors.ts';
import { loadParser } from '../../src/sql/parser/parser.ts';
import { assert, suite } from '../helpers/suite.ts';
import { refusalOf, verdictOf } from '../sql/verdict-summary.ts';

const id = `sess_${'0123456789abcdef'.repeat(2)}`;
const other = `sess_${'f'.repeat(32)}`;
const session = `-c service_session=${id}`;

/** Reads a login of user u to database d with more parameters. */
function read(parameters: Record<string, string>) {
  return readLogin(Object.entries({ user: 'u', database: 'd', ...parameters }), 'd');
}

function refusal(parameters: Record<string, string>): StageError {
  try {
    read(parameters);
  } catch (error) {
    return error as StageError;
  }
  throw new Error('the login was accepted');
}

/** Returns a setting in every form that a startup packet can have. */
function forms(name: string, value: string): Record<string, string>[] {
  const dashed = name.replaceAll('_', '-');
  return [
    { options: session, [name]: value },
    { options: session, [name.toUpperCase()]: value },
    ...[
      `${session} -c ${name}=${value}`,
      `-c${name.toUpperCase()}=${value} ${session}`,
      `${session} --${dashed}=${value}`,
      `--${dashed.toUpperCase()}=${value} ${session}`,
      `${session} -ec ${dashed}=${value}`,
    ].map((options) => ({ options })),
  ];
}

suite('proxy: start-up parameters', (test) => {
  test.before(loadParser);

  for (const parameters of [
    { options: session },
    { options: `-cservice_session=${id}` },
    { options: `--service_session=${id}` },
    { options: `  --service_session=${id}  ` },
    { options: `-e${session.slice(1)}` },
    { service_session: id },
  ]) {
    test(`finds the session in ${JSON.stringify(parameters)}`, () => {
      assert.is(read(parameters).sessionId, id);
    });
  }

  for (const parameters of [
    {},
    { options: '' },
    { options: '-c service_session=' },
    { options: '-c service_session' },
    { options: '-c=' },
    { options: '-c' },
    { options: `service_session=${id}` },
    { options: `-c SERVICE_SESSION=${id}` },
    { options: `-c Service_Session=${id}` },
    { options: `-c service-session=${id.toUpperCase()}` },
    { options: `-c\\ service_session=${id}` },
    { options: `-c service_session\\ =${id}` },
    { options: `-c service_session=\\ ${id}` },
    { options: `-c service_session=${id}\\ ` },
    { options: `-c service_session='${id}'` },
    { options: `-c service_session=${id.toUpperCase()}` },
    { options: `-c service_session=${id}0` },
    { options: `-c service_session=${id.slice(0, -1)}` },
    { options: `-c \u0455ervice_session=${id}` },
    { options: `-c service\uff3fsession=${id}` },
    { options: `-c service_session=${id.replace('a', '\u0430')}` },
    { options: `${session} ${session}` },
    { options: `${session} -c service_session=${other}` },
    { options: `${session} -c SERVICE_SESSION=${other}` },
    { options: session, service_session: other },
    { options: session, service_session: id },
    { options: session, ' service_session': other },
    { options: `${session} --` },
    { options: `${session} stray` },
    { options: `${session}\\x` },
    { options: `-c ${'x'.repeat(9000)}=y` },
    { Service_session: id },
    { options: `${session} -c service_reads=staged -c service_reads=staged` },
    { options: `${session} -c SERVICE_READS=staged` },
    { options: `${session} -c service_notice=off -c service_notice=off` },
  ]) {
    test(`refuses ${JSON.stringify(parameters).slice(0, 100)}`, () => {
      const error = refusal(parameters as Record<string, string>);
      assert.is(error.sqlstate, '08004', error.message);
      assert.ok(error.hint);
    });
  }

  test('shows the option to add', () => {
    assert.match(refusal({}).hint ?? '', /options='-c service_session=<session id>'/);
  });

  test('reads where reads go', () => {
    assert.is(read({ options: session }).reads, null);
    assert.is(read({ options: `${session} -c service_reads=staged` }).reads, 'staged');
    assert.is(read({ options: session, service_reads: 'production' }).reads, 'production');
    assert.is(refusal({ options: `${session} -c service_reads=Staged` }).sqlstate, '22023');
  });

  test('reads whether notices are wanted', () => {
    assert.is(read({ options: session }).notice, null);
    assert.is(read({ options: `${session} -c service_notice=off` }).notice, false);
    assert.is(read({ options: session, service_notice: 'on' }).notice, true);
    assert.is(refusal({ options: `${session} -c service_notice=no` }).sqlstate, '22023');
  });

  test('reads how transactions begin', () => {
    const access = (value: string) =>
      read({ options: session, default_transaction_read_only: value }).access;
    assert.is(read({ options: session }).access, 'read write');
    for (const value of ['on', 'TRUE', 't', 'yes', '1'])
      assert.is(access(value), 'read only', value);
    for (const value of ['off', 'False', 'f', 'no', '0', 'of'])
      assert.is(access(value), 'read write', value);
    assert.is(refusal({ options: session, default_transaction_read_only: 'o' }).sqlstate, '22023');
    assert.is(
      read({
        options: `${session} --default-transaction-read-only=on`,
        Default_Transaction_Read_Only: 'off',
      }).access,
      'read write',
    );
  });

  test('passes everything else on, in order, without what is ours or pinned', () => {
    const { parameters } = read({
      application_name: 'x',
      options: `-c a.b=1\\ 2 ${session} -e --Client-Encoding=utf-8 -S 5 -c standard_conforming_strings=on --work-mem=1`,
      CLIENT_ENCODING: "'utf8'",
      DateStyle: 'ISO',
      service_reads: 'staged',
      replication: 'false',
    });
    assert.equal(parameters, [
      ['user', 'u'],
      ['database', 'd'],
      ['application_name', 'x'],
      ['options', '-c a.b=1\\ 2 -e -S 5 -c work_mem=1'],
      ['DateStyle', 'ISO'],
      ['replication', 'false'],
    ]);
    assert.equal(read({ options: session }).parameters, [
      ['user', 'u'],
      ['database', 'd'],
    ]);
  });

  test('pins what everything relies on', () => {
    assert.equal(pinnedParameters({ sessionId: id, reads: 'staged', access: 'read only' }), [
      ['default_transaction_read_only', 'on'],
      ['client_encoding', 'UTF8'],
      ['standard_conforming_strings', 'on'],
      ['stage.session', '0123456789abcdef0123456789abcdef'],
      ['stage.reads', 'staged'],
      ['stage.access', 'read only'],
    ]);
  });

  for (const encoding of ['UTF8', 'utf-8', 'Unicode', "'UTF-8'", 'SQL_ASCII']) {
    test(`takes client_encoding ${encoding}`, () => {
      assert.is(read({ options: session, client_encoding: encoding }).sessionId, id);
    });
  }

  for (const [parameters, sqlstate] of [
    [{ client_encoding: 'SJIS' }, '0A000'],
    [{ options: `${session} -c client_encoding=BIG5` }, '0A000'],
    [{ options: `${session} --Client-Encoding=GBK` }, '0A000'],
    [{ Client_Encoding: 'EUC_JP' }, '0A000'],
    [{ replication: 'true' }, '0A000'],
    [{ replication: 'database' }, '0A000'],
    [{ database: 'e' }, '3D000'],
    [{ database: '' }, '3D000'],
    [{ user: '' }, '28000'],
  ] as const) {
    test(`refuses ${JSON.stringify(parameters)} with ${sqlstate}`, () => {
      const error = refusal({ options: session, ...(parameters as Record<string, string>) });
      assert.is(error.sqlstate, sqlstate, error.message);
    });
  }

  for (const [name, value] of [
    ['session_replication_role', 'replica'],
    ['session_replication_role', 'local'],
    ['allow_system_table_mods', 'on'],
    ['track_counts', 'off'],
    ['standard_conforming_strings', 'off'],
    ['backslash_quote', 'on'],
    ['session_authorization', 'postgres'],
    ['stage.session', 'ffffffffffffffffffffffffffffffff'],
    ['stage.anything', 'x'],
    ['default_transaction_read_only', 'maybe'],
  ] as const) {
    test(`refuses ${name}=${value} with the words of SET`, () => {
      const { sqlstate, message, hint } = refusalOf(`SET ${name} = '${value}'`);
      for (const parameters of forms(name, value)) {
        const refused = refusal(parameters);
        assert.equal(
          [refused.sqlstate, refused.message, refused.hint],
          [sqlstate, message, hint],
          JSON.stringify(parameters),
        );
      }
    });
  }

  for (const [name, value] of [
    ['session_replication_role', 'origin'],
    ['allow_system_table_mods', 'off'],
    ['track_counts', 'on'],
    ['backslash_quote', 'safe_encoding'],
    ['application_name', 'x'],
    ['datestyle', 'ISO'],
    ['search_path', 'a'],
    ['statement_timeout', '1000'],
    ['extra_float_digits', '3'],
    ['timezone', 'UTC'],
    ['my.setting', 'x'],
  ] as const) {
    test(`passes ${name}=${value} on, as SET does`, () => {
      assert.is(verdictOf(`SET ${name} = '${value}'`).kind, 'control');
      for (const parameters of forms(name, value)) {
        const passed = JSON.stringify(read(parameters).parameters).toLowerCase();
        assert.ok(passed.replaceAll('-', '_').includes(name), passed);
      }
    });
  }

  for (const switches of ['-O', '-eO', '-OP', '-S 64 -O', '-e -Oc a=b']) {
    test(`takes ${switches} for the setting that it is`, () => {
      const { sqlstate, message } = refusal({ options: `${session} ${switches}` });
      assert.is(sqlstate, '55P02');
      assert.match(message, '"allow_system_table_mods"');
    });
  }

  test('takes the user for the database where none is named, as the server does', () => {
    assert.is(
      readLogin(
        [
          ['user', 'd'],
          ['service_session', id],
        ],
        'd',
      ).sessionId,
      id,
    );
    assert.match(refusal({ options: session, database: 'e' }).hint ?? '', /"d"/);
  });
});
