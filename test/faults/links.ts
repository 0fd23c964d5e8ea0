/** Connections that break or are slow: between callers and the daemon, clients and the proxy, the daemon and PostgreSQL. */
import { startTestDaemon } from '../helpers/daemon.ts';
import { urlThrough } from '../helpers/database.ts';
import type { Random } from '../helpers/random.ts';
import { startTornLink, tears } from '../helpers/torn-link.ts';
import type { Arena } from './arena.ts';
import { aimWithin, harmedRound } from './harm.ts';
import { operationNames } from './plans.ts';
import { openScene } from './scene.ts';

const legs = ['upstream', 'rest', 'proxy'] as const;

export async function openLinks(): Promise<Arena> {
  const scene = await openScene();
  const upstream = await startTornLink(scene.database);
  const flags = { upstream: urlThrough(upstream.port, scene.database), maxConnections: 40 };
  const daemon = await startTestDaemon({ database: scene.database, flags });
  const rest = await startTornLink({
    host: '127.0.0.1',
    port: Number(new URL(daemon.restUrl).port),
  });
  const proxy = await startTornLink({ host: '127.0.0.1', port: daemon.proxy.port });
  const links = { upstream, rest, proxy };
  const target = { restUrl: `http://127.0.0.1:${rest.port}`, proxyPort: proxy.port };
  /** The number of bytes of a round on each of them. */
  const lengths = { upstream: 0, rest: 0, proxy: 0 };
  // a byte is drawn instead of a time
  const atOnce = new Map(operationNames.map((name) => [name, aimWithin(0)]));
  const mend = async () => {
    for (const leg of legs) {
      const bytes = links[leg].mend();
      if (lengths[leg] === 0) lengths[leg] = bytes;
    }
  };
  const round = async (random: Random, isCalm = false) => {
    const leg = random.pick(legs);
    const tear = random.pick(tears);
    const byte = random.below(lengths[leg] || 1);
    if (!isCalm) links[leg].tearAt(tear, byte);
    return harmedRound(scene, target, random, atOnce, {
      label: `${tear} at byte ${byte} of ${lengths[leg]}, ${leg}`,
      strike: async () => [`  ${leg}: ${tear}`],
      mend,
    });
  };
  return {
    round: async (random) => {
      if (lengths.upstream === 0) await round(random, true);
      return round(random);
    },
    close: async () => {
      const left = await scene.verify();
      await daemon.stop();
      for (const leg of legs) await links[leg].stop();
      await scene.close();
      return left;
    },
  };
}
