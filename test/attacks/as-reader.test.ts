/** Attacks with the right to read, as the documents recommend: nothing reaches production. */
import { attackAs } from './attack-as.ts';

attackAs('reader');
