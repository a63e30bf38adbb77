import { text } from 'node:stream/consumers'
import { definesFunction, parseSource } from '#provider/form/codeSource.ts'
import type { ParsedFunction } from './parseCode.ts'

/** The program of a process that parses code without running it. */
const { code, names } = JSON.parse(await text(process.stdin)) as { code: string; names: string[] }

function parseFunction(name: string): ParsedFunction {
  const source = parseSource(code, name)
  const isDefined = definesFunction(code, name)
  return 'text' in source ? { name, isDefined } : { name, isDefined, bad: source }
}

process.stdout.write(JSON.stringify(names.map(parseFunction)))
