/** `stage help`: explains a command or a topic. */
import type { Command } from 'commander';
import { StageError } from '../../errors.ts';
import type { ConfigureCommand } from '../run.ts';
import { examples } from '../run.ts';
import { topics } from '../topics.ts';

export const configureHelp: ConfigureCommand = (command, run) => {
  command
    .description(`Explain a command or a topic (${Object.keys(topics).join(', ')}).`)
    .argument('[subject...]', 'command or topic')
    .addHelpText('before', examples(['stage help diff', 'stage help exit-codes']))
    .action(
      run(async ({ out }, _options, ...subject) => {
        const topic = topics[subject.join(' ')];
        if (topic) return out.write(topic.text);
        const program = command.parent as Command;
        demandCommand(program, subject[0]);
        await program.parseAsync([...subject, '--help'], { from: 'user' });
      }),
    );
};

function demandCommand(program: Command, name: string | undefined): void {
  if (name === undefined || program.commands.some((command) => command.name() === name)) return;
  throw new StageError('usage', `there is no help on ${JSON.stringify(name)}`, {
    hint: 'See `stage --help` for commands and topics.',
  });
}
