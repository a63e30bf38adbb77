import { Script } from 'node:vm'

/** What an error's stack calls the customer's code. */
export const codeFile = 'code.js'

/**
 * Code that defines a function, in either form: `async function process(params) {…}`, among whatever else; or the bare
 * `async process(params) {…}`. `text` gives the function when it is run, its lines are the customer's own; `columnOffset`
 * corrects the first.
 */
export type Source = { text: string; columnOffset: number }
export type BadSource = { message: string; line: number; column: number }

const maxBytes = 1024 * 1024

const asProgram = (code: string, name: string): Source => ({
  text: `${code}\n;typeof ${name} === 'undefined' ? undefined : ${name}`,
  columnOffset: 0,
})
const asMethod = (code: string, name: string): Source => ({ text: `({${code}\n}).${name}`, columnOffset: -2 })

const space = /\s*/y
const line = /.*/y
const head = /(?:async\s+)?([\w$]+)\s*\(/y

/** Where the match of a sticky expression that matches everywhere ends. */
function endOf(sticky: RegExp, code: string, from: number): number {
  sticky.lastIndex = from
  sticky.test(code)
  return sticky.lastIndex
}

/** Where the first token of the code stands: after white space and comments. Linear in the length of the code. */
function firstToken(code: string): number {
  for (let at = 0; ; ) {
    at = endOf(space, code, at)
    if (code.startsWith('//', at)) at = endOf(line, code, at)
    else if (code.startsWith('/*', at)) {
      const end = code.indexOf('*/', at + 2)
      if (end < 0) return code.length
      at = end + 2
    } else return at
  }
}

/** Whether the code begins, after comments, as a method does. */
function isMethod(code: string, name: string): boolean {
  head.lastIndex = firstToken(code)
  return head.exec(code)?.[1] === name
}

/** Parses and does not run. */
function syntaxError({ text, columnOffset }: Source): BadSource | undefined {
  try {
    new Script(text, { filename: codeFile, columnOffset })
    return undefined
  } catch (error) {
    return placeOf(error as Error)
  }
}

/** `code.js:3` is the first line of a syntax error's stack, the source the second, carets below it the third. */
function placeOf({ message, stack = '' }: Error): BadSource {
  const [place = '', , carets = ''] = stack.split('\n')
  const line = Number(/^code\.js:(\d+)$/.exec(place)?.[1] ?? 1)
  return { message, line, column: Math.max(carets.indexOf('^'), 0) + 1 }
}

/** The code in the form in which it can be run; or where its syntax is wrong. */
export function readSource(code: string, name: string): Source | BadSource {
  if (Buffer.byteLength(code) > maxBytes) return { message: 'The code is larger than 1 MiB', line: 1, column: 1 }
  const source = isMethod(code, name) ? asMethod(code, name) : asProgram(code, name)
  return atCustomersPlace(code, source, syntaxError(source)) ?? source
}

/** A place behind the customer's last line is told as the end of that line. */
function atCustomersPlace(code: string, source: Source, bad: BadSource | undefined): BadSource | undefined {
  if (!bad) return undefined
  const lines = code.split('\n')
  if (bad.line > lines.length) return { ...bad, line: lines.length, column: lines.at(-1)!.length + 1 }
  return bad.line === 1 ? { ...bad, column: Math.max(bad.column + source.columnOffset, 1) } : bad
}

/** Whether code defines a function of this name at its top, as far as that can be told without running it. */
export const defines = (code: string, name: string): boolean =>
  isMethod(code, name) || (parses(code) && !parses(`${code}\n;let ${name}`))

const parses = (text: string) => syntaxError({ text, columnOffset: 0 }) === undefined
