/** The plan derived from another text of the same shape equals the plan of the text itself. */
import type { TextClass } from '../../src/rewrite/query-plan.ts';
import { createQueryPlanner } from '../../src/rewrite/query-planner.ts';
import { loadParser } from '../../src/sql/parser/parser.ts';
import { SqlSyntaxError } from '../../src/sql/parser/syntax-error.ts';
import { randomText } from '../attacks/random-text.ts';
import { createRandom } from '../helpers/random.ts';
import { assert, suite } from '../helpers/suite.ts';
import { literalVariants } from '../sql/literals.ts';

const settings = {
  maxStatementBytes: 100_000,
  maxMessageBytes: 100_000,
  loginTimeoutMs: 0,
  allowFunctions: [],
  statementCacheSize: 100_000,
  stallTimeoutMs: 1,
  shutdownGraceMs: 0,
  stagedNotice: false,
};

suite('query planner', (test) => {
  test.before(loadParser);

  const planner = createQueryPlanner(settings);
  const fresh = createQueryPlanner({ ...settings, statementCacheSize: 0 });

  const compare = (sql: string) => {
    const text = Buffer.from(sql);
    const wanted = attempt(() => fresh.plan(text));
    // A text whose literal PostgreSQL's grammar refuses is left to PostgreSQL.
    if (wanted !== null)
      assert.equal(
        attempt(() => planner.classify(text)),
        wanted,
        sql,
      );
  };

  test('looks at a text of a known shape as at a new one', () => {
    for (const sql of literalVariants()) compare(sql);
  });

  test('looks at random attempts as at new ones', () => {
    for (let seed = 1; seed <= 500; seed += 1) {
      const { text: sql } = randomText({ random: createRandom(seed), calls: true });
      compare(sql);
      for (const value of ['7', "'default_transaction_read_only'"]) {
        compare(sql.replaceAll(/\b\d+\b/g, value));
        compare(sql.replaceAll(/'[^'\n]*'/g, value));
      }
    }
  });

  test('plans a write of a known shape with its own text', () => {
    const sqls = [
      "INSERT INTO known VALUES (1, 'a') ; ",
      "INSERT INTO known VALUES (4711, 'b') ; ",
    ];
    const [one, other] = sqls.map((sql) => planner.plan(Buffer.from(sql))?.statements[0]);
    assert.is(one?.verdict, other?.verdict);
    assert.is(other?.text.toString(), "INSERT INTO known VALUES (4711, 'b')");
  });

  test('does not parse a text of a known shape', () => {
    planner.classify(Buffer.from('SELECT a FROM known WHERE b = 1'));
    const same = planner.classify(Buffer.from('SELECT a FROM known WHERE b = 22'));
    assert.is(same, planner.classify(Buffer.from('SELECT a FROM known WHERE b = 333')));
  });
});

function attempt(look: () => TextClass | null): TextClass | null {
  try {
    const { refusal, passes, passingText, reads, hasSettings, ...others } = look() as TextClass;
    const { hasNames, changesPath, declaresHold, unclear } = others;
    return {
      ...{ refusal, passes, passingText, reads, hasSettings },
      ...{ hasNames, changesPath, declaresHold, unclear },
    };
  } catch (error) {
    if (error instanceof SqlSyntaxError) return null;
    throw error;
  }
}
