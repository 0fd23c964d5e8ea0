/** GET /sessions/:id/card: who is told what, and the heads of the forms of a diff. */
import { briefMarkdown, briefOfDiff } from '../../src/cli/diff/brief.ts';
import type { ApiClient } from '../../src/client/api-client.ts';
import { readBrief } from '../../src/client/brief.ts';
import { briefLines } from '../../src/client/brief-words.ts';
import type { ErrorCode } from '../../src/errors.ts';
import { StageError } from '../../src/errors.ts';
import { briefOf } from '../../src/mcp/tools/show-diff.ts';
import { JsonText } from '../../src/model/json.ts';
import type { Sent } from '../helpers/http.ts';
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest, testToken } from '../helpers/rest.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

const tokens = [
  testToken({ name: 'bot', role: 'agent' }),
  testToken({ name: 'other', role: 'agent' }),
  testToken({ name: 'dev', role: 'author' }),
  testToken({ name: 'ann', role: 'reviewer' }),
];
const as = (name: string, json?: object): Sent => ({
  headers: { authorization: `Bearer ${name}` },
  ...(json === undefined ? {} : { json }),
});

suite('rest: cards', (test) => {
  let rest: TestRest;
  test.before(async () => {
    rest = await startTestRest({ tokens, sensitiveColumns: ['products.stock'] });
  });
  test.after(() => rest.stop());

  const create = async (name: string, statement: string): Promise<string> => {
    const { id } = (await rest.call('POST', '/sessions', as(name, {}))).body;
    await rest.write(id, statement);
    return id;
  };
  const cardOf = (id: string, name: string) => rest.call('GET', `/sessions/${id}/card`, as(name));
  const change = "UPDATE products SET stock = stock + 1, name = 'a *new* <b>' WHERE id <= 2";

  test('names other sessions to reviewers, and to agents neither these nor their own rivals', async () => {
    const [mine, theirs] = [await create('bot', change), await create('other', change)];
    const reported = await cardOf(mine, 'ann');
    assert.is(reported.status, 200);
    assert.equal(
      reported.body.overlaps.map(({ session_id }: { session_id: string }) => session_id),
      [theirs],
    );
    const counted = await cardOf(mine, 'bot');
    assert.equal(counted.body.overlaps, [{ session_id: null, table: 'products', rows: 2 }]);
    assert.not.ok(counted.text.includes(theirs.slice(5)));
    assert.is((await cardOf(theirs, 'bot')).status, 404);
    const flags = reported.body.flags.map(({ code }: { code: string }) => code);
    assert.ok(flags.includes('sensitive_column') && flags.includes('overlap'), flags.join());
  });

  test('tells no value of a table that the roles of the session may not read', async () => {
    const id = await create('dev', change);
    await rest.database.query(
      `UPDATE stage.mutation SET role = NULL WHERE session = '${id.slice(5)}'`,
    );
    const { text, body } = await cardOf(id, 'dev');
    assert.not.match(text, /stock|new/);
    assert.equal([body.tables[0].hidden, body.tables[0].updates], [true, 2]);
    assert.match((await cardOf(id, 'ann')).text, /stock/);
  });

  test('is left out where a service has none, or it takes too long, and for no other reason', async () => {
    const failing = (code: ErrorCode) => ({
      readBrief: () => Promise.reject(new StageError(code, 'no brief')),
    });
    for (const code of ['not_found', 'took_too_long', 'busy'] as const) {
      const api = failing(code) as unknown as ApiClient;
      assert.is(await briefOfDiff(api, 'sess_1', undefined), null);
      assert.equal(await briefOf(api, 'sess_1'), []);
    }
    for (const code of ['session_not_found', 'server_unavailable', 'internal'] as const) {
      const api = failing(code) as unknown as ApiClient;
      assert.is((await rejects<StageError>(briefOfDiff(api, 'sess_1', undefined))).code, code);
      assert.is((await rejects<StageError>(briefOf(api, 'sess_1'))).code, code);
    }
  });

  test('is text of the service, whatever the values are', async () => {
    const { text } = await cardOf(await create('dev', change), 'ann');
    const brief = readBrief(new JsonText(text));
    const lines = briefLines(brief).join('\n');
    assert.match(lines, / {2}name: all 2 changed to|.* → a \*new\* <b> \(1 row\)/);
    assert.not.match(briefMarkdown(brief), /[^&]\*new|<b>/);
  });
});
