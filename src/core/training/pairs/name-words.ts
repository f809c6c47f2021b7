// Words of names in schemas that are written short as often as long, a pair a line: long, short.
const SHORT_FORMS = `
address addr
amount amt
average avg
category cat
code cd
count cnt
country ctry
customer cust
date dt
department dept
description desc
document doc
employee emp
first fst
identifier id
information info
language lang
latitude lat
location loc
longitude lng
manager mgr
maximum max
message msg
minimum min
number num
order ord
organization org
percentage pct
phone tel
picture pic
position pos
previous prev
product prod
quantity qty
reference ref
sequence seq
statistics stats
student stu
temperature temp
transaction txn
value val
year yr`;

const PAIRS = SHORT_FORMS.trim()
  .split('\n')
  .map((line): [string, string] => {
    const [long = '', short = ''] = line.split(' ');
    return [long, short];
  });
const SHORTER: ReadonlyMap<string, string> = new Map(PAIRS);
/** Words that are as usual as their long form (`id`, `max`) are left alone. */
const LONGER: ReadonlyMap<string, string> = new Map(
  PAIRS.filter(([, short]) => !['id', 'cat', 'max', 'min', 'avg', 'count', 'first'].includes(short)).map(
    ([long, short]) => [short, long],
  ),
);

/** The usual short form of a word of a name, else the word. */
export function shorter(word: string): string {
  return SHORTER.get(word) ?? word;
}

/** The long form that a short word of a name stands for, else the word. */
export function longer(word: string): string {
  return LONGER.get(word) ?? word;
}

/** A noun in the singular, as far as its ending tells. */
export function singular(word: string): string {
  if (/[^aeiou]ies$/.test(word) && word.length > 4) return `${word.slice(0, -3)}y`;
  if (/(?:ss|x|ch|sh)es$/.test(word)) return word.slice(0, -2);
  return /[^su]s$/.test(word) && word.length > 3 ? word.slice(0, -1) : word;
}

/** A noun in the plural, as far as its ending tells. */
export function plural(word: string): string {
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`;
  return /(?:s|x|ch|sh)$/.test(word) ? `${word}es` : `${word}s`;
}
