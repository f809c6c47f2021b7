import type { ChatRequest } from '../../../../src/core/ports.ts';
import { SYSTEM_PROMPT } from '../../../../src/core/schema/lines1.ts';

export const SCHEMA = `Schema:
venue(venue_id integer pk, name text, city text, seats integer, opened integer)
singer(singer_id integer pk, name text, country text {'Chile', 'France', 'Japan'}, age integer, salary real)
concert(concert_id integer pk, title text, venue_id integer, year integer)
singer_in_concert(concert_id integer pk, singer_id integer pk)
Foreign keys:
concert.venue_id = venue.venue_id
singer_in_concert.concert_id = concert.concert_id
singer_in_concert.singer_id = singer.singer_id
`;

/** A greedy chat in prompt format lines-1 about a schema of four tables. */
export function chatAbout(question: string, schema = SCHEMA): ChatRequest {
  return {
    messages: [
      { role: 'system', content: SYSTEM_PROMPT },
      { role: 'user', content: `${schema}Question: ${question}` },
    ],
    stablePrefix: schema.length,
    prefixKey: 'schema',
    temperature: 0,
    seed: null,
    maxTokens: 100,
  };
}
