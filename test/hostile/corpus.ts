/** A text that is slow to process with a bad algorithm. `of` returns one of at most `bytes` bytes within JSON. */
export type Hostile = { name: string; of(bytes: number): string }

const bytesOf = (text: string) => Buffer.byteLength(JSON.stringify(text)) - 2

type Around = { before?: string; after?: string }

function repeated(part: string, { before = '', after = '' }: Around = {}): Hostile['of'] {
  const rest = bytesOf(before) + bytesOf(after)
  return (bytes) => before + part.repeat(Math.max(1, Math.floor((bytes - rest) / bytesOf(part)))) + after
}

/** A regular expression does not match up to a line break and a NUL, so it backtracks over the text before them. */
const broken = '\n\u0000'

const ascii = Array.from({ length: 95 }, (_, n) => String.fromCharCode(0x20 + n))
const blanks = ['\t', '\n', '\r', '\u0000', '\u0007', '\u00a0', '\u2028', '\ufeff']

/** One character, repeated. */
const singles: Hostile[] = [...ascii, ...blanks].flatMap((char) => [
  { name: `${JSON.stringify(char)} …`, of: repeated(char) },
  { name: `${JSON.stringify(char)} … broken`, of: repeated(char, { after: broken }) },
])

/** Two or three characters in alternation. */
const alternations: Hostile[] = [
  ...[
    'ab',
    'a ',
    ' a',
    'a,',
    ' ,',
    ', ',
    'a.',
    '.a',
    'a@',
    '@a',
    'a-',
    '0.',
    '0,',
    '0 ',
    '+0',
    '0a',
    'a0',
    'Aa',
    '\t ',
  ],
  ...['a=', '=&', 'a=b&', '&a', ';a=', '="', '",', '\\"', '\\\\', '\\u', '\\n', '%2', '%25', '%40', '%E4', '%%', '$&'],
  ...['//', '/*', '*/', '/**/', '<!--', '-->', '</', '<a', '${', '`${', '{{', '[]', '{}', '()', '[[', '({', '=>', '..'],
  ...[
    '::',
    ':1',
    '1:',
    '[:',
    '.1',
    'xn--',
    '..a',
    '-a',
    '_a',
    'a_',
    '~a',
    '|a',
    'a|',
    '(a',
    'a)',
    'a*',
    'a+',
    'a?',
    "'a",
  ],
].map((part) => ({ name: `${JSON.stringify(part)} …`, of: repeated(part, { after: broken }) }))

/** Texts that resemble a parsed format, up to its end or close to it. */
const nearMatches: Hostile[] = Object.entries<Hostile['of']>({
  'an e-mail without a host': repeated('a', { after: '@' }),
  'an e-mail without an end': repeated('a.', { before: 'a@' }),
  'e-mails side by side': repeated('a@b.co '),
  'an e-mail of signs': repeated('a@', { after: 'b.co' }),
  'an e-mail of escaped signs': repeated('a%40', { after: 'b.c' }),
  'a local part of dots': repeated('a.', { after: '@b' }),
  'a long address': repeated('a', { before: 'https://shop.example/' }),
  'an address of slashes': repeated('/', { before: 'https://shop.example', after: 'x' }),
  'an address of slashes without an end': repeated('/', { before: 'https://shop.example' }),
  'an address of dots': repeated('../', { before: 'https://shop.example/' }),
  'a host of labels': repeated('a.', { before: 'https://', after: 'example' }),
  'a host of hyphens': repeated('-', { before: 'https://a', after: '.example' }),
  'a user part': repeated('a:', { before: 'https://', after: '@shop.example' }),
  'a query of names': repeated('a&', { before: 'https://shop.example/?' }),
  'a query of pairs': repeated('fbclid=a&', { before: 'https://shop.example/?' }),
  'a query of signs': repeated('=', { before: 'https://shop.example/?fbclid' }),
  'a query of escapes': repeated('%41', { before: 'https://shop.example/?gclid=' }),
  'a query of broken escapes': repeated('%', { before: 'https://shop.example/?gclid=' }),
  'a fragment': repeated('#', { before: 'https://shop.example/' }),
  'a date without an end': repeated('0', { before: '2026-11-20T10:00:00.' }),
  'a date of hyphens': repeated('2026-', { after: 'x' }),
  'a date of blanks': repeated(' ', { before: 'Fri, 20', after: 'Nov 2026' }),
  'a phone number': repeated('1', { before: '+49 ', after: 'x' }),
  'a phone number in groups': repeated('1 ', { before: '+49 ', after: 'x' }),
  'a phone number in brackets': repeated('(1) ', { before: '+', after: 'x' }),
  'a phone number of zeros': repeated('0', { before: '%2b', after: 'x' }),
  'base64 without an end': repeated('AAAA', { after: '!' }),
  'base64 of padding': repeated('=', { before: 'AAAA' }),
  'base64 of signs': repeated('+/', { after: '-' }),
  'a signing secret': repeated('AAAA', { before: 'whsec_', after: 'A' }),
  'an amount': repeated('1', { before: '-', after: '.' }),
  'an amount of groups': repeated('1,', { after: 'x' }),
  'an amount of blanks': repeated(' ', { before: '1', after: 'x' }),
  'a cookie of Google': repeated('1', { before: 'GA1.1.', after: '.' }),
  'a cookie of Google of dots': repeated('1.', { before: 'GA1.1.', after: 'x' }),
  'a session of Google': repeated('1', { before: 'GS2.1.s', after: '' }),
  'a click of Google': repeated('.', { before: 'GCL.' }),
  'a cookie of Meta': repeated('1', { before: 'fb.1.', after: '.' }),
  'a twclid': repeated(' ', { before: '{"twclid"', after: 'x' }),
  'cookies side by side': repeated('tag_user_id;', { after: ' tag_user_id' }),
  'a cookie of blanks': repeated(' ', { before: ';', after: 'tag_user_i' }),
  'a token': repeated('a', { before: 'aglet_live_' }),
  'a bearer of blanks': repeated(' ', { before: 'Bearer ' }),
  'a region list': repeated('DE,-', { after: '!' }),
  'a region of blanks': repeated(' ', { before: 'DE', after: ',' }),
  'an address of IPv6': repeated('0:', { before: '[', after: ']' }),
  'an address of IPv4': repeated('1.', { after: 'x' }),
  'an address with a port': repeated('1', { before: '[::1]:', after: ',' }),
  'a list of hops': repeated('10.0.0.1,'),
  'a list of ETags': repeated('W/"a",'),
  encodings: repeated('gzip;q=0.1,', { after: 'br' }),
  'a charset of blanks': repeated(' ', { before: 'application/json;', after: 'charset=x' }),
  'a type of parameters': repeated(';a=b', { before: 'application/json' }),
  'a quoted parameter': repeated('\\"', { before: 'text/plain;a="' }),
  'JSON nested in objects': repeated('{"a":', { after: '1' }),
  'JSON nested in lists': repeated('[', { after: ']' }),
  'JSON of names': repeated('"a":1,', { before: '{', after: '"a":1}' }),
  'JSON of other names': (bytes) => {
    const names = Array.from({ length: Math.max(1, Math.floor(bytes / 14)) }, (_, at) => `"n${at}":1`)
    return `{${names.join()}}`
  },
  'JSON of brackets': repeated('{}', { before: '[', after: ']' }),
  'JSON of escapes': repeated('\\u0061', { before: '"', after: '"' }),
  'a number in JSON': repeated('1', { after: 'e' }),
  'comments without an end': repeated('/*', { after: 'async process() {}' }),
  comments: repeated('/**/', { after: 'x' }),
  'a line of slashes': repeated('/', { after: '\nasync process() {}' }),
  'slashes of a divider': () => `${'/'.repeat(40)}\nconst a = 1`,
  'lines of comments': repeated('// a\n'),
  'a stack': repeated('code.js:1:', { after: 'x' }),
  'places of a stack': repeated(' at a (code.js:1:1)\n'),
  'line items': repeated('Item1', { after: 'x' }),
  'a browser': repeated('Mozilla/5.0 ', { after: 'x' }),
  'a browser of brackets': repeated('(', { before: 'Mozilla/5.0 ' }),
  'a robot': repeated('bot-', { after: 'x' }),
  'an astral character': repeated('😀'),
  'a family of characters': repeated('👨‍👩‍👧‍👦'),
  'one character of many marks': repeated('\u0301', { before: 'e' }),
  joiners: repeated('\u200d', { before: '👩' }),
  'half a character': repeated('\ud800'),
  'the other half': repeated('\udc00'),
  'letters that grow in lower case': repeated('İ'),
  'letters that grow in upper case': repeated('ß'),
  'letters of two bytes': repeated('é'),
  'letters of three bytes': repeated('ﬃ'),
  'text from right to left': repeated('\u202e'),
}).map(([name, of]) => ({ name, of }))

export const allTexts: readonly Hostile[] = [...singles, ...alternations, ...nearMatches]

const brokenRuns = (chars: string): Hostile[] =>
  [...chars].map((char) => ({ name: `${JSON.stringify(char)} … broken`, of: repeated(char, { after: broken }) }))
const near = (names: RegExp) => nearMatches.filter(({ name }) => names.test(name))

/**
 * A selection for places where all texts would take too long: all near matches, and the characters with a meaning.
 */
export const mainTexts: readonly Hostile[] = [...nearMatches, ...brokenRuns(' a0/@.,-%&=:;"\\*+_<([{')]

/** Fewer texts, for places where each one is an event with deliveries. */
export const basicTexts: readonly Hostile[] = [
  ...brokenRuns(' a0/@.,-%+'),
  ...near(/without an end|signs|groups|pairs|nested|astral|half a|grow in lower/),
]

/** Even fewer, for places that have already been sent the others. */
export const minimalTexts: readonly Hostile[] = [
  ...brokenRuns(' a0@'),
  ...near(/of signs$|side by side|astral|half a char/),
]

const inHeader = /^[\t\x20-\x7e\x80-\xff]*$/
/** A text as a header can contain it. Line breaks and characters outside Latin-1 become a character that nothing expects. */
export const asHeader = (text: string): string =>
  inHeader.test(text) ? text : text.replace(/[^\t\x20-\x7e\x80-\xff]/g, '\u00ff')
