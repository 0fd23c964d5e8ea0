/** Kills of the daemon: SIGKILL at any moment of its work. */
import type { SpawnedDaemon } from '../helpers/spawned-daemon.ts';
import { spawnDaemon } from '../helpers/spawned-daemon.ts';
import type { Arena } from './arena.ts';
import type { Harm } from './harm.ts';
import { harmedRound, takeAim } from './harm.ts';
import type { Scene } from './scene.ts';
import { openScene } from './scene.ts';

/** The current statements of the service's backends, or their last ones in an open transaction. */
const atWork = `
SELECT a.state || ': ' || coalesce(
  substring(a.query FROM 'stage\\.[a-z_]+\\(|stage_data\\.(?:lock|conflicts|diff)_|COMMIT|ROLLBACK|FOR UPDATE|DELETE FROM [a-z.]+|INSERT INTO [a-z.]+|UPDATE [a-z.]+'),
  left(a.query, 20)) AS work
FROM pg_stat_activity a
WHERE a.datname = current_database() AND a.pid <> pg_backend_pid() AND a.state <> 'idle' AND a.application_name ~ '^stage'`;

export async function openKills(): Promise<Arena> {
  const scene = await openScene();
  const start = () => spawnDaemon(scene.database.url, { settings: { maxConnections: 40 } });
  let daemon = await start();
  const aims = await takeAim(scene, daemon);
  return {
    round: async (random) => {
      const killed = daemon;
      const next = { daemon: null as Promise<SpawnedDaemon> | null };
      const outcome = await harmedRound(scene, killed, random, aims, {
        ...killing(scene, killed),
        mend: async () => {
          next.daemon = start();
        },
      });
      daemon = await (next.daemon ?? start());
      return outcome;
    },
    close: async () => {
      const left = await scene.verify();
      await daemon.kill();
      await scene.close();
      return left;
    },
  };
}

const killing = ({ database }: Scene, daemon: SpawnedDaemon): Omit<Harm, 'mend'> => ({
  label: 'killed',
  strike: async () => {
    daemon.child.kill('SIGKILL');
    const rows = await database.query<{ work: string }>(atWork);
    await daemon.kill();
    return rows.map(({ work }) => `  then a backend was ${work}`);
  },
});
