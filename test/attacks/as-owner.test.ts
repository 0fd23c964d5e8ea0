/** Attacks with the rights of an owner of the tables: nothing reaches production. */
import { attackAs } from './attack-as.ts';

attackAs('owner');
