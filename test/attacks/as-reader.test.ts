/** With the right to read, as is recommended: nothing reaches production. */
import { attackAs } from './attack-as.ts';

attackAs('reader');
