/** One published number. `reach` is what it should be, in words, e.g. "<= 0.3 ms". */
export interface Measurement {
  what: string;
  value: number;
  unit: string;
  reach?: string;
}

/** One benchmark file exports one `benchmark`. */
export interface Benchmark {
  title: string;
  run(): Promise<Measurement[]>;
}
