/** A value of a dataset file that should be an item, with the line that it begins on, from 1. */
export interface LinedRecord {
  value: unknown;
  line: number;
}
