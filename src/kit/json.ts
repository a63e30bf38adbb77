/** Limits for a JSON text: the nesting depth, and the number of values. */
type JsonBounds = { levels: number; values: number }

/**
 * The first limit that a JSON text exceeds; undefined for none. It counts brackets and commas outside of strings, in
 * linear time and without allocating: `JSON.parse` takes twenty times as long for a mebibyte of brackets as for one of
 * text.
 */
export function exceededBound(text: string, { levels, values }: JsonBounds): keyof JsonBounds | undefined {
  let depth = 0
  let count = 1
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (char === '"') at = endOfString(text, at)
    else if (char === ']' || char === '}') depth--
    else if (char === ',' && ++count > values) return 'values'
    else if ((char === '[' || char === '{') && ++depth > levels) return 'levels'
  }
  return undefined
}

/** The index of the closing quote of the string at `from`; the length of the text if it is not closed. */
function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let escapes = 0
    while (text[at - 1 - escapes] === '\\') escapes++
    if (escapes % 2 === 0) return at
  }
  return text.length
}

const defaultBounds: JsonBounds = { levels: 32, values: 20_000 }

/**
 * Parses JSON of a customer's setting or a vendor's response. Throws a SyntaxError, also above 32 levels or 20,000
 * values.
 */
export function parseJson(text: string): unknown {
  const bound = exceededBound(text, defaultBounds)
  if (bound) throw new SyntaxError(`has more than ${defaultBounds[bound]} ${bound}`)
  return JSON.parse(text)
}
