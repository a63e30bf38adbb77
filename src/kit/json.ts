/** What a text of JSON may hold: brackets that are open at once, and values in all. */
export type JsonBounds = { levels: number; values: number }

/**
 * Which bound a text goes beyond, if it is JSON. A look at its signs alone, linear and without memory: `JSON.parse` takes twenty
 * times as long for a mebibyte of brackets as for one of text.
 */
export function beyond(text: string, { levels, values }: JsonBounds): keyof JsonBounds | undefined {
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

/** Where the string that begins at `from` ends; the end of the text when it does not. */
function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let escapes = 0
    while (text[at - 1 - escapes] === '\\') escapes++
    if (escapes % 2 === 0) return at
  }
  return text.length
}

const ofSetting: JsonBounds = { levels: 32, values: 20_000 }

/** The value of a text that somebody wrote by hand, or a vendor said. Throws SyntaxError, also for one that is nested or long beyond sense. */
export function parseJson(text: string): unknown {
  const bound = beyond(text, ofSetting)
  if (bound) throw new SyntaxError(`has more than ${ofSetting[bound]} ${bound}`)
  return JSON.parse(text)
}
