import {
  type Argument,
  type CallExpression,
  type Expression,
  type NewExpression,
  parseSync,
  type TemplateLiteral,
  Visitor,
} from 'oxc-parser'

/**
 * A regular expression of a file: its text, or why the text is unknown. `texts` has one for each sample of an escaped part.
 */
export type Site = { line: number; flags: string } & ({ texts: readonly string[] } | { unknown: string })

/** The maximum input length that a comment states: `// ReDoS: at most 253 characters, a host name`. */
export type Bound = { line: number; characters: number }

/**
 * Samples for a part that passes through `RegExp.escape`. A loop before or after the part may match the same characters, so
 * each kind of character has a sample.
 */
const samples = ['a', '0', ' ', '-', '/', '@']

/** Expressions of a file, by the name of their constant. */
type Constants = ReadonlyMap<string, Expression>

const unknown = (part: string) => ({ unknown: part })
type Folded = string | { unknown: string }

/** The text of an expression; `sample` replaces escaped parts. */
function fold(node: Expression | Argument, constants: Constants, sample: string): Folded {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value
  if (node.type === 'TemplateLiteral') return foldTemplate(node, constants, sample, 'cooked')
  if (node.type === 'TaggedTemplateExpression' && nameOf(node.tag) === 'String.raw')
    return foldTemplate(node.quasi, constants, sample, 'raw')
  if (node.type === 'BinaryExpression' && node.operator === '+')
    return join([fold(node.left, constants, sample), fold(node.right, constants, sample)])
  if (node.type === 'Identifier' && constants.has(node.name))
    return fold(constants.get(node.name)!, withoutName(constants, node.name), sample)
  if (node.type === 'CallExpression' && nameOf(node.callee) === 'RegExp.escape') return RegExp.escape(sample)
  if (isEscapedList(node)) return `${RegExp.escape(sample)}|${RegExp.escape(sample + sample)}`
  if (node.type === 'ParenthesizedExpression') return fold(node.expression, constants, sample)
  return unknown(node.type === 'Identifier' ? node.name : node.type)
}

function foldTemplate(
  { quasis, expressions }: TemplateLiteral,
  constants: Constants,
  sample: string,
  form: 'cooked' | 'raw',
): Folded {
  const parts = quasis.flatMap(({ value }, at): Folded[] => {
    const expression = expressions[at]
    return [value[form] ?? '', ...(expression ? [fold(expression, constants, sample)] : [])]
  })
  return join(parts)
}

const join = (parts: readonly Folded[]): Folded => parts.find((part) => typeof part !== 'string') ?? parts.join('')

/** Removes a constant, so that one that refers to itself is not followed again. */
const withoutName = (constants: Constants, name: string): Constants =>
  new Map([...constants].filter(([known]) => known !== name))

/** `texts.map(RegExp.escape).join('|')`, including an arrow function that escapes its one argument. */
function isEscapedList(node: Expression | Argument): boolean {
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return false
  const [by] = node.arguments
  if (memberName(node.callee) !== 'join' || by?.type !== 'Literal' || by.value !== '|') return false
  const list = node.callee.object
  if (list.type !== 'CallExpression' || list.callee.type !== 'MemberExpression') return false
  const [each] = list.arguments
  if (memberName(list.callee) !== 'map' || !each) return false
  if (each.type === 'ArrowFunctionExpression')
    return each.body.type === 'CallExpression' && nameOf(each.body.callee) === 'RegExp.escape'
  return nameOf(each) === 'RegExp.escape'
}

const memberName = (node: Expression): string | undefined =>
  node.type === 'MemberExpression' && !node.computed && node.property.type === 'Identifier'
    ? node.property.name
    : undefined

/** `RegExp`, `String.raw`; undefined for anything but a plain name. */
function nameOf(node: Expression | Argument): string | undefined {
  if (node.type === 'Identifier') return node.name
  if (node.type !== 'MemberExpression') return undefined
  const owner = nameOf(node.object)
  const name = memberName(node)
  return owner && name && `${owner}.${name}`
}

const searching = new Set(['match', 'matchAll', 'search'])

/** The argument that is compiled to an expression: of `new RegExp(…)`, `text.match('…')` and similar calls. */
function compiledArgument(node: NewExpression | CallExpression): { pattern: Argument; flags?: Argument } | undefined {
  const [pattern, flags] = node.arguments
  if (!pattern) return undefined
  if (nameOf(node.callee) === 'RegExp') return { pattern, ...(flags && { flags }) }
  const isText = pattern.type === 'TemplateLiteral' || (pattern.type === 'Literal' && typeof pattern.value === 'string')
  const isSearch = node.type === 'CallExpression' && searching.has(memberName(node.callee) ?? '')
  return isText && isSearch ? { pattern } : undefined
}

function siteOf(line: number, pattern: Argument, flags: Argument | undefined, constants: Constants): Site {
  const given = flags ? fold(flags, constants, '') : ''
  const texts = samples.map((sample) => fold(pattern, constants, sample))
  const hidden = [given, ...texts].find((text) => typeof text !== 'string')
  if (hidden) return { line, flags: '', unknown: (hidden as { unknown: string }).unknown }
  return { line, flags: given as string, texts: [...new Set(texts as string[])] }
}

const boundComment = /^ ReDoS: at most (\d[\d_]*) characters/

/**
 * Every regular expression of a TypeScript or JavaScript file: literals, `RegExp(…)`, texts passed to `match`, `matchAll`
 * and `search`, and the `pattern` of a schema; and the limits in comments. Throws for a file that does not parse.
 */
export function sitesIn(file: string, text: string): { sites: readonly Site[]; bounds: readonly Bound[] } {
  const { program, comments, errors } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file} does not parse: ${errors[0]!.message}`)
  const lineOf = lines(text)
  const constants = new Map<string, Expression>()
  new Visitor({
    VariableDeclaration({ kind, declarations }) {
      for (const { id, init } of kind === 'const' ? declarations : [])
        if (id.type === 'Identifier' && init) constants.set(id.name, init)
    },
  }).visit(program)
  const sites: Site[] = []
  const compile = (node: NewExpression | CallExpression) => {
    const found = compiledArgument(node)
    if (found) sites.push(siteOf(lineOf(node.start), found.pattern, found.flags, constants))
  }
  new Visitor({
    Literal(node) {
      if (!('regex' in node)) return
      sites.push({ line: lineOf(node.start), flags: node.regex.flags, texts: [node.regex.pattern] })
    },
    NewExpression: compile,
    CallExpression: compile,
    Property({ key, value }) {
      const isPattern = key.type === 'Identifier' && key.name === 'pattern' && value.type === 'Literal'
      if (isPattern && typeof value.value === 'string')
        sites.push({ line: lineOf(value.start), flags: 'u', texts: [value.value] })
    },
  }).visit(program)
  const bounds = comments.flatMap(({ type, value, end }) => {
    const [, characters] = (type === 'Line' && boundComment.exec(value)) || []
    return characters ? [{ line: lineOf(end), characters: Number(characters.replaceAll('_', '')) }] : []
  })
  return { sites, bounds }
}

/** Returns a function from a character position to its line. */
function lines(text: string): (at: number) => number {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return (at) => starts.findLastIndex((start) => start <= at) + 1
}
