/** What a question says of one table, each from 0 upwards. */
export interface Signals {
  /** Rarity of the words of its name that stand in the text, summed. */
  nameWords: number;
  /** The same as a share of the whole name, 0 to 1. */
  nameShare: number;
  /** Rarity of its whole name where that stands in the text, as a phrase or as one word. */
  wholeName: number;
  /** 1 where its name stands there exactly as spelled. */
  writtenName: number;
  /** Rarity of the words of its name that resemble a word of the text, times how much. */
  similarName: number;
  /** Rarity of the words of its name that are related to a word of the text. */
  relatedName: number;
  /** 1 where its name is the initials of words side by side in the text. */
  initials: number;
  /** Rarity of the words of its columns in the text, each times the share of the column's name that is. */
  columnWords: number;
  /** The same for columns that refer to another table. */
  referenceWords: number;
  /** Rarity of the column whose name stands there most, times the share of it. */
  bestColumn: number;
  /** Rarity of the columns whose whole names stand there, summed. */
  wholeColumns: number;
  /** Rarity of the columns whose names stand there exactly as spelled, summed. */
  writtenColumns: number;
  /** The best of the words of its columns that resemble a word of the text: rarity times how much. */
  similarColumn: number;
  /** 1 where the text names somebody and the table holds the names of people. */
  namedPerson: number;
  /** 1 where the text names something and the rows of the table have a name or title. */
  namedThing: number;
  /** Rarity of the words in the text that meanings of its columns have and its names have not, summed. */
  meaningWords: number;
  /** For each cell value of the table that stands in the text: 1 / tables that hold it, summed. */
  values: number;
}
