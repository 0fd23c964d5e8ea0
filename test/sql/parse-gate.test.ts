/** Texts too heavy for the main thread do not reach its parser, wherever they come from. */
import { createQueryPlanner } from '../../src/rewrite/query-planner.ts';
import { classifyAnywhere } from '../../src/sql/classify/classify-apart.ts';
import { readBodyAnywhere } from '../../src/sql/functions/function-body.ts';
import { loadParser, ParserFailure, parseTree, scanTokens } from '../../src/sql/parser/parser.ts';
import { assert, suite } from '../helpers/suite.ts';
import { summaryOf, verdictOf } from './verdict-summary.ts';

const list = (length: number) => Array(length).fill('1').join();
const heavy = Buffer.from(`SELECT 1 IN (${list(10_000)}) FROM t`);
const settings = {
  maxStatementBytes: 100_000,
  maxMessageBytes: 1e6,
  loginTimeoutMs: 1,
  allowFunctions: [],
  statementCacheSize: 100,
  stallTimeoutMs: 1,
  shutdownGraceMs: 0,
  stagedNotice: false,
};

suite('sql: the gate of the parser', (test) => {
  test.before(loadParser);

  test('takes no heavy text where others wait', () => {
    for (const read of [parseTree, scanTokens])
      assert.throws(
        () => read(heavy),
        (error: unknown) => error instanceof ParserFailure && error.sqlstate === '54001',
      );
    assert.ok(parseTree(Buffer.from(`SELECT 1 IN (${list(2000)})`)).stmts);
  });

  test('has heavy texts planned apart, and those that are too long refused at once', async () => {
    const planner = createQueryPlanner(settings);
    assert.is(planner.classify(heavy), null);
    assert.is(planner.plan(heavy), null);
    const { statements } = await planner.planApart(heavy, new AbortController().signal);
    assert.is(statements[0]?.verdict.kind, 'read');
    const tooLong = planner.classify(Buffer.from(`SELECT ${list(60_000)}`));
    assert.is(tooLong?.refusal?.sqlstate, '54000');
  });

  test('has heavy definitions of views classified apart', async () => {
    const [statement] = await classifyAnywhere(heavy);
    assert.is(statement?.verdict.kind, 'read');
  });

  for (const language of ['sql', 'plpgsql'] as const) {
    test(`has heavy bodies in ${language} read apart, with other names in them`, async () => {
      const query = `SELECT x FROM t WHERE x NOT IN (${list(6000)})`;
      const body = language === 'sql' ? query : `BEGIN RETURN (${query}); END`;
      const read = await readBodyAnywhere({ language, head: 'f() RETURNS int', body });
      const [relation] = read?.uses.relations ?? [];
      assert.is(relation?.name, 't');
      const made = await read?.replaced([{ ...relation, text: 'other' } as never]);
      assert.is(made?.toString(), body.replace('FROM t', 'FROM other'));
    });
  }

  test('reads no body that only looks short', async () => {
    const comments = '/**/'.repeat(30_000);
    const body = `BEGIN ${comments} RETURN (SELECT max(x) FROM t); END`;
    const text = { language: 'plpgsql', head: 'f() RETURNS int', body } as const;
    const failure = await readBodyAnywhere(text).catch(({ sqlstate }) => sqlstate);
    assert.is(failure, '54001');
  });

  test('counts what nests in what is looked at again', () => {
    const nested = (depth: number) =>
      `${'SELECT ('.repeat(depth)}1${') FROM t GROUP BY a'.repeat(depth)}`;
    assert.is(summaryOf(verdictOf(nested(20))), 'read');
    assert.is(summaryOf(verdictOf(nested(400))), 'refuse 54001');
  });
});
