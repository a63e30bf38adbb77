import { Script } from 'node:vm'

/** The file name of the customer's code in stack traces. */
export const codeFile = 'code.js'

/**
 * Code that defines a function in one of two forms: a program with `async function process(params) {…}`, or the bare
 * method `async process(params) {…}`. Evaluating `text` returns the function. Line numbers match the customer's code;
 * `columnOffset` corrects the columns of the first line.
 */
export type CodeSource = { text: string; columnOffset: number }
export type CodeSyntaxError = { message: string; line: number; column: number }

const maxBytes = 1024 * 1024

const asProgram = (code: string, name: string): CodeSource => ({
  text: `${code}\n;typeof ${name} === 'undefined' ? undefined : ${name}`,
  columnOffset: 0,
})
const asMethod = (code: string, name: string): CodeSource => ({ text: `({${code}\n}).${name}`, columnOffset: -2 })

const space = /\s*/y
const line = /.*/y
const head = /(?:async\s+)?([\w$]+)\s*\(/y

/** The end of the match of a sticky expression that matches at every position, if only the empty string. */
function endOf(sticky: RegExp, code: string, from: number): number {
  sticky.lastIndex = from
  sticky.test(code)
  return sticky.lastIndex
}

/** The position of the first token, after white space and comments. Linear in the length of the code. */
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

/** Whether the code begins like a method, after comments. */
function isMethod(code: string, name: string): boolean {
  head.lastIndex = firstToken(code)
  return head.exec(code)?.[1] === name
}

/** Parses the code without running it. */
function syntaxError({ text, columnOffset }: CodeSource): CodeSyntaxError | undefined {
  try {
    new Script(text, { filename: codeFile, columnOffset })
    return undefined
  } catch (error) {
    return locationOf(error as Error)
  }
}

/**
 * V8 writes `code.js:3` in the first line of a syntax error's stack, the source in the second line, and carets in the
 * third.
 */
function locationOf({ message, stack = '' }: Error): CodeSyntaxError {
  const [place = '', , carets = ''] = stack.split('\n')
  const line = Number(/^code\.js:(\d+)$/.exec(place)?.[1] ?? 1)
  return { message, line, column: Math.max(carets.indexOf('^'), 0) + 1 }
}

/** Returns the code in a form that can be run, or the first syntax error. */
export function parseSource(code: string, name: string): CodeSource | CodeSyntaxError {
  if (Buffer.byteLength(code) > maxBytes) return { message: 'The code is larger than 1 MiB', line: 1, column: 1 }
  const source = isMethod(code, name) ? asMethod(code, name) : asProgram(code, name)
  return inCustomersCode(code, source, syntaxError(source)) ?? source
}

/** The location in the customer's text. A location after the last line becomes the end of that line. */
function inCustomersCode(
  code: string,
  source: CodeSource,
  error: CodeSyntaxError | undefined,
): CodeSyntaxError | undefined {
  if (!error) return undefined
  const lines = code.split('\n')
  if (error.line > lines.length) return { ...error, line: lines.length, column: lines.at(-1)!.length + 1 }
  return error.line === 1 ? { ...error, column: Math.max(error.column + source.columnOffset, 1) } : error
}

/**
 * Whether the code declares a function of this name at its top level. Only parses: `let name` conflicts with such a
 * function.
 */
export const definesFunction = (code: string, name: string): boolean =>
  isMethod(code, name) || (parses(code) && !parses(`${code}\n;let ${name}`))

const parses = (text: string) => syntaxError({ text, columnOffset: 0 }) === undefined
