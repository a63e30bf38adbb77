import { text } from 'node:stream/consumers'
import { type CodeSyntaxError, definesFunction, parseSource } from '#provider/form/codeSource.ts'

/** A syntax error of code. `isTooSlow`: parsing was stopped after its time limit. */
export type BadCode = CodeSyntaxError & { isTooSlow?: true }

/** The result for one name: whether the code defines a function of that name, and its syntax error. */
export type ParsedFunction = { name: string; isDefined: boolean; bad?: BadCode }

/** The program of a process that parses code without running it. */
const { code, names } = JSON.parse(await text(process.stdin)) as { code: string; names: string[] }

function parseFunction(name: string): ParsedFunction {
  const source = parseSource(code, name)
  const isDefined = definesFunction(code, name)
  return 'text' in source ? { name, isDefined } : { name, isDefined, bad: source }
}

process.stdout.write(JSON.stringify(names.map(parseFunction)))
