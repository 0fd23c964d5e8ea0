/** The metrics of a busy daemon, and the dashboards and alerts that use them. */
import { readFile } from 'node:fs/promises';
import pg from 'pg';
import type { TestDaemon } from '../helpers/daemon.ts';
import { startTestDaemon } from '../helpers/daemon.ts';
import { assert, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';

/** Words of an expression that may name a metric. */
const metric = /\b(?:service|process|nodejs)_[a-z0-9_]+/g;

suite('daemon: metrics', (test) => {
  let daemon: TestDaemon;
  test.before(async () => {
    daemon = await startTestDaemon();
  });
  test.after(() => daemon.stop());

  const scrape = async () => (await daemon.call('GET', '/metrics')).text;
  const seriesValue = async (series: string) => {
    const line = (await scrape()).split('\n').find((each) => each.startsWith(`${series} `));
    return Number(line?.slice(series.length + 1) ?? Number.NaN);
  };

  for (const file of ['grafana/stage.json', 'prometheus/alerts.yaml']) {
    test(`has every metric that templates/${file} names`, async () => {
      const named = new Set((await readFile(`templates/${file}`, 'utf8')).match(metric));
      const there = new Set(
        (await scrape()).split('\n').map((line) => line.replace(/[{ ].*$/, '')),
      );
      assert.ok(named.size > 3);
      assert.equal(
        [...named].filter((name) => !there.has(name)),
        [],
      );
    });
  }

  test('counts what is staged and approved, and how long it took', async () => {
    const id = await daemon.newSession();
    const client = new pg.Client({ connectionString: daemon.clientUrl(id) });
    await client.connect();
    await client.query('UPDATE products SET stock = 1 WHERE id = 1');
    await client.query('UPDATE products SET stock = $1 WHERE id = 1', [2]);
    await client.end();
    assert.is(await seriesValue('service_stage_duration_seconds_count'), 2);
    assert.is(await seriesValue('service_sessions{status="active"}'), 1);
    await until(async () => (await seriesValue('service_shadow_rows')) > 0);
    await daemon.call('POST', `/sessions/${id}/propose`);
    assert.is((await daemon.call('POST', `/sessions/${id}/approve`)).status, 200);
    await daemon.call('POST', `/sessions/${id}/approve`);
    const approvals = 'service_approve_duration_seconds_count';
    assert.is(await seriesValue(`${approvals}{outcome="approved"}`), 1);
    assert.is(await seriesValue(`${approvals}{outcome="refused"}`), 1);
    assert.is(await seriesValue('service_sessions{status="approved"}'), 1);
    assert.is(await seriesValue('service_oldest_approval_seconds'), 0);
    assert.ok((await seriesValue('service_pool_connections_open{pool="deciding"}')) >= 1);
  });
});
