/** Functions are checked however they are called. */
import { attributeNotation } from './attribute-notation.ts';
import { executeArguments } from './execute-arguments.ts';
import { extensions } from './extensions.ts';
import { prove } from './prove.ts';

prove(executeArguments);
prove(attributeNotation);
prove(extensions);
