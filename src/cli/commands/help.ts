/** `stage help`: help on a command or on a topic. */
import type { Command } from 'commander';
import { StageError } from '../../errors.ts';
import type { AddCommand } from '../run.ts';
import { examples } from '../run.ts';
import { topics } from '../topics.ts';

export const addHelp: AddCommand = (parent, run) => {
  parent
    .command('help')
    .summary('explain a command or a topic')
    .description(`Explain a command or a topic (${Object.keys(topics).join(', ')}).`)
    .argument('[subject...]', 'command or topic')
    .addHelpText('before', examples(['stage help diff', 'stage help exit-codes']))
    .action(
      run(async ({ out }, _options, ...subject) => {
        const topic = topics[subject.join(' ')];
        if (topic) await out.write(topic.text);
        else commandAt(parent, subject).outputHelp();
      }),
    );
};

function commandAt(parent: Command, [name, ...rest]: readonly string[]): Command {
  if (name === undefined) return parent;
  const command = parent.commands.find((candidate) => candidate.name() === name);
  if (command) return commandAt(command, rest);
  throw new StageError('usage', `there is no help on ${JSON.stringify(name)}`, {
    hint: 'See `stage --help` for commands and topics.',
  });
}
