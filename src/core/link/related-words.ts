import { stem } from './words.ts';

/**
 * Words that people and schemas use for one another, a group a line: general English, nothing of one database. Chosen by
 * what questions on the tuning databases of `bench/linking.bench.ts` said where the schema said something else.
 */
const GROUPS = `
age old young
artist musician singer
author writer write
birth birthday birthdate
border neighbor neighbour
buy purchase order customer
car vehicle automobile
category genre type kind
city town
class course
client customer buyer shopper
comment review feedback
company firm corporation business
continent asia asian africa african europe european
cost price expensive cheap
country nation national nationality continent
crime offense offence
disease illness condition diagnosis
drug medicine medication prescription
email mail
employee staff worker salesperson
ethnic ethnicity race
game match
gender sex male female
image picture photo
job occupation position role
language speak
location place
movie film
pay payment spend
person human individual
phone telephone
player athlete
prize award
rate rating score star
salary wage pay
school college university
sell sale
ship shipment deliver delivery
song track
store shop
street road address live
supplier supply vendor
teach teacher professor instructor
title name
trip travel journey`;

function readGroups(): Map<string, Set<string>> {
  const related = new Map<string, Set<string>>();
  for (const line of GROUPS.trim().split('\n')) {
    const group = line.split(' ').map(stem);
    for (const word of group) {
      const others = related.get(word) ?? new Set();
      related.set(word, others);
      for (const other of group) if (other !== word) others.add(other);
    }
  }
  return related;
}

const RELATED: ReadonlyMap<string, ReadonlySet<string>> = readGroups();

/** The stems that are related to a stem. */
export function relatedWords(word: string): ReadonlySet<string> {
  return RELATED.get(word) ?? new Set();
}
