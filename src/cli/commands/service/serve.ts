/** `stage serve`: runs the proxy and the REST interface until it is stopped. */
import type { Config } from '../../../config/load.ts';
import { options as settingOptions } from '../../../config/schema.ts';
import { packageVersion } from '../../../package-version.ts';
import type { Context } from '../../context.ts';
import { defineCommand } from '../../define-command.ts';
import { openingSession, welcome } from '../../output/welcome.ts';

interface Options {
  readonly printConfig?: true;
  readonly check?: true;
  readonly fresh?: true;
  readonly yes?: true;
}

/** Settings whose options every command has. */
const shared = new Set(['server', 'serverCa', 'session']);

/** The options of all other settings, with `--port PORT` written as `--port <port>` for commander. */
const settingFlags = Object.entries(settingOptions).flatMap(
  ([name, { flag, sentence }]): [string, string][] =>
    !flag || shared.has(name) ? [] : [[flag.replace(/ (\w+)$/, ' <$1>'), sentence]],
);

export const serveCommand = defineCommand<Options>({
  description:
    'Run the proxy and the REST interface in the foreground. SIGTERM and SIGINT stop it: ' +
    'running statements may finish, and nothing that was staged is lost. SIGHUP has it read its token file at once.',
  options: [
    ['--print-config', 'show every setting and where it comes from, then stop'],
    [
      '--check',
      'read the configuration, connect to the upstream, examine it as `stage doctor` does, then stop with its exit code',
    ],
    ['--fresh', 'throw the data of the embedded PostgreSQL away, and start with a new sample'],
    ['-y, --yes', 'with --fresh: do not ask, even if sessions are undecided'],
    ...settingFlags,
  ],
  examples: [
    'stage serve                                               with an embedded PostgreSQL to try it on',
    'stage serve --upstream postgresql://stage@db.internal/shop',
    'stage serve --config /etc/stage/stage.config.yaml --log-level warn',
    'stage serve --check                                       could it be served? Starts nothing',
    'stage serve --print-config',
  ],
  work: serve,
});

async function serve(context: Context, options: Options): Promise<number> {
  const { host, out } = context;
  const { loadConfig } = await import('../../../config/load.ts');
  const config = loadConfig({ flags: { ...options }, env: host.env, cwd: host.cwd() });
  if (options.printConfig) {
    const { describeConfig } = await import('../../../config/describe.ts');
    await out.write(describeConfig(config));
    return 0;
  }
  if (options.check) return check(context, config);
  if (options.fresh) {
    const { startAnew } = await import('../../start-anew.ts');
    const { countUndecided, removeData } = await import(
      '../../../daemon/embedded/embedded-fresh.ts'
    );
    const { knownClusters } = await import('../../../daemon/embedded/known-clusters.ts');
    const work = { countUndecided, knownClusters, removeData };
    if (!(await startAnew(context, config, options.yes ?? false, work))) return 1;
  }
  await run(context, config);
  return 0;
}

/** Checks everything that would prevent a daemon from serving, or make it unsafe, without starting one. Returns the doctor's exit code. */
async function check(context: Context, config: Config): Promise<number> {
  const { chooseProduction } = await import('../../../config/upstream.ts');
  const { checkStart } = await import('../../../daemon/check-start.ts');
  checkStart(config);
  const production = chooseProduction(config, context.host.env);
  if (production.kind === 'embedded') {
    await context.out.remark('The configuration is good. Production is an embedded PostgreSQL.');
    return 0;
  }
  const { examineUpstream } = await import('./doctor.ts');
  return examineUpstream(context, { url: production.url, settings: config.settings }, null);
}

async function run({ host, out }: Context, config: Config): Promise<void> {
  const { startDaemon } = await import('../../../daemon/start.ts');
  const { catchSignals } = await import('../../../daemon/signals.ts');
  const { formatOf } = await import('../../../log.ts');
  const { startWatchdog } = await import('../../../daemon/watchdog.ts');
  const io = { env: host.env, stderr: host.stderr, version: packageVersion() };
  const signals = catchSignals();
  const { logLevel, logFormat } = config.settings;
  const endWatchdog = await startWatchdog({
    logLevel,
    logFormat: formatOf(logFormat, host.stderr),
  });
  const daemon = await startDaemon(config, io).catch((error) => {
    signals.release();
    throw error;
  });
  signals.onHangup(daemon.reload);
  const stopped = signals.stopOnFirst(daemon.stop, daemon.log);
  try {
    const session = await openingSession(host, config, daemon);
    await out.lines(welcome(host, config, { ...daemon, session }, out.paint));
  } catch (error) {
    await daemon.stop();
    throw error;
  }
  await stopped;
  endWatchdog();
}
