import type { Filter } from '#contract/rule/channelRules.ts'
import { allOf, anyCase, anyOf, not } from '../filter.ts'
import { segmentName } from './eventNames.ts'
import { FqlProblem, isPersonal, ofNamed, onPath } from './fqlFields.ts'

/** The events that a Segment trigger accepts: some, all, or none (user updates are not events here). */
type FqlResult = { filter: Filter } | { none: true } | { problem: string }

/** `all` and `none` do not depend on the event. */
type Node = Filter | 'all' | 'none'

/** Calls other than track. */
const callTypes: Readonly<Record<string, Node>> = {
  page: { eventName: 'PageView' },
  screen: { eventName: 'ScreenView' },
  group: { eventName: 'Group' },
  identify: 'none',
  alias: 'none',
  delete: 'none',
}
const callNames: ReadonlySet<string> = new Set(['PageView', 'ScreenView', 'Group'])
const track: Filter = { eventName: { $nin: [...callNames] } }

const token =
  /\s*(?:("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(-?\d+(?:\.\d+)?(?![\w.]))|([A-Za-z_$@][\w$-]*(?:\.[\w$-]+)*)|(!=|<=|>=|[=<>!(),]))/y
const longest = 5_000

type Token = { kind: 'text' | 'number' | 'word' | 'sign'; text: string }

function tokensOf(expression: string): Token[] {
  if (expression.length > longest) throw new FqlProblem(`it has more than ${longest} characters`)
  const tokens: Token[] = []
  token.lastIndex = 0
  for (let at = 0; expression.slice(at).trim() !== ''; at = token.lastIndex) {
    token.lastIndex = at
    const [, text, number, word, sign] = token.exec(expression) ?? []
    if (text !== undefined) tokens.push({ kind: 'text', text: text.slice(1, -1).replace(/\\(.)/g, '$1') })
    else if (number !== undefined) tokens.push({ kind: 'number', text: number })
    else if (word !== undefined) tokens.push({ kind: 'word', text: word })
    else if (sign !== undefined) tokens.push({ kind: 'sign', text: sign })
    else throw new FqlProblem(`it cannot be read at ${expression.slice(at, at + 20)}`)
  }
  return tokens
}

const comparisons: Readonly<Record<string, string>> = { '>': '$gt', '>=': '$gte', '<': '$lt', '<=': '$lte' }

/** `10 < a` is `a > 10`. */
const turned = (sign: string) => sign.replace(/[<>]/, (each) => (each === '<' ? '>' : '<'))

type Value = string | number | boolean | null
type Operand = { path: string; isLower?: boolean } | { value: Value }

const opposite = (node: Node): Node => (node === 'all' ? 'none' : node === 'none' ? 'all' : not(node))

function both(one: Node, other: Node): Node {
  if (one === 'none' || other === 'none') return 'none'
  if (one === 'all') return other
  if (other === 'all') return one
  // A test of the event name means track: the other calls have names of their own.
  const names = [one, other].map((each) => each.eventName)
  if (one === track && typeof names[1] === 'string') return callNames.has(names[1]) ? 'none' : other
  if (other === track && typeof names[0] === 'string') return callNames.has(names[0]) ? 'none' : one
  return allOf([ofNamed(names[1], one), ofNamed(names[0], other)])
}

function either(one: Node, other: Node): Node {
  if (one === 'all' || other === 'all') return 'all'
  if (one === 'none') return other
  if (other === 'none') return one
  return anyOf([one, other])
}

function testValue(path: string, operator: string, value: Value, isLower: boolean): Node {
  if (path === 'type') {
    const call =
      typeof value === 'string' && Object.hasOwn(callTypes, value)
        ? callTypes[value]!
        : value === 'track'
          ? track
          : 'none'
    if (operator !== '=' && operator !== '!=') throw new FqlProblem(`type is compared by ${operator}`)
    return operator === '=' ? call : opposite(call)
  }
  if (value === null) {
    const isThere = onPath(path, { $exist: true })
    return operator === '!=' ? isThere : not(isThere)
  }
  if (isPersonal(path))
    throw new FqlProblem(`${path.slice(0, 60)} is personal data: a rule can only check whether it is present`)
  if (operator === '=' || operator === '!=') {
    const wanted = path === 'event' && typeof value === 'string' ? segmentName(value) : value
    const same = onPath(path, isLower && typeof wanted === 'string' ? anyCase(wanted, 'equal') : wanted)
    if (operator === '=') return same
    // `!=` a number matches only numbers, not absent values.
    return typeof value === 'number' ? both(onPath(path, { $exist: true }), not(same)) : not(same)
  }
  if (typeof value !== 'number')
    throw new FqlProblem(`${path.slice(0, 60)} is compared by ${operator} with a value that is not a number`)
  return onPath(path, { [comparisons[operator]!]: value })
}

/** `order_*` as an expression; `?` is one character. */
const globPattern = (glob: string) =>
  `^${glob
    .replace(/[\\^$.+()[\]{}|/-]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.')}$`

function testText(name: string, path: string, text: string, isLower: boolean): Node {
  if (path === 'event')
    throw new FqlProblem('a part of the name of an event is compared, and e-commerce events have other names here')
  if (isPersonal(path)) throw new FqlProblem(`${path.slice(0, 60)} is personal`)
  if (name === 'contains') return onPath(path, isLower ? anyCase(text, 'part') : { $contains: text })
  return onPath(path, { $regex: `${isLower ? '(?i)' : ''}${globPattern(text)}` })
}

const mostNested = 50

/** Reads `or`, `and`, `!`, comparisons and the functions contains, match and lowercase. */
class FqlReader {
  readonly #tokens: readonly Token[]
  #at = 0
  #depth = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  read(): Node {
    const found = this.#any()
    const more = this.#tokens[this.#at]
    if (more) throw new FqlProblem(`it continues with ${more.text.slice(0, 20)}`)
    return found
  }

  #take(text: string): boolean {
    const next = this.#tokens[this.#at]
    const isNext = next !== undefined && next.kind !== 'text' && next.text.toLowerCase() === text
    if (isNext) this.#at++
    return isNext
  }
  #expect(text: string): void {
    if (this.#take(text)) return
    throw new FqlProblem(`${text} is missing before ${this.#tokens[this.#at]?.text.slice(0, 20) ?? 'the end'}`)
  }

  #operand(): Operand {
    const next = this.#tokens[this.#at++]
    if (!next) throw new FqlProblem('it ends too early')
    if (next.kind === 'text') return { value: next.text }
    if (next.kind === 'number') return { value: Number(next.text) }
    if (next.kind === 'sign') throw new FqlProblem(`${next.text} is not a value`)
    if (next.text === 'true' || next.text === 'false') return { value: next.text === 'true' }
    if (next.text === 'null') return { value: null }
    if (!this.#take('(')) return { path: next.text }
    const path = this.#tokens[this.#at++]
    if (next.text !== 'lowercase' || path?.kind !== 'word')
      throw new FqlProblem(`rules have no ${next.text.slice(0, 40)}`)
    this.#expect(')')
    return { path: path.text, isLower: true }
  }

  /** `!contains` requires a text that does not contain the other; an absent value does not match. */
  #call(name: string, isNegated: boolean): Node {
    this.#at++
    this.#expect('(')
    const one = this.#operand()
    this.#expect(',')
    const other = this.#operand()
    this.#expect(')')
    if (!('path' in one) || !('value' in other) || typeof other.value !== 'string')
      throw new FqlProblem(`${name} needs a path and a text`)
    const found = testText(name, one.path, other.value, one.isLower === true)
    return isNegated ? both(onPath(one.path, { $exist: true }), opposite(found)) : found
  }

  /** The name of the function that is called next; undefined if there is no call. */
  #nextCall(): string | undefined {
    const [first, second] = this.#tokens.slice(this.#at, this.#at + 2)
    const isCall = first?.kind === 'word' && second?.text === '(' && ['contains', 'match'].includes(first.text)
    return isCall ? first.text : undefined
  }

  #comparison(): Node {
    const one = this.#operand()
    const sign = this.#tokens[this.#at]
    if (sign?.kind !== 'sign' || !['=', '!=', ...Object.keys(comparisons)].includes(sign.text)) {
      if ('path' in one) return testValue(one.path, '=', true, false)
      throw new FqlProblem('a comparison has only one side')
    }
    this.#at++
    const other = this.#operand()
    if ('path' in one && 'value' in other) return testValue(one.path, sign.text, other.value, one.isLower === true)
    if ('value' in one && 'path' in other)
      return testValue(other.path, turned(sign.text), one.value, other.isLower === true)
    throw new FqlProblem('two fields, or two values, are compared')
  }

  #unary(): Node {
    if (++this.#depth > mostNested) throw new FqlProblem('it is nested too deep')
    const isNot = this.#take('!') || this.#take('not')
    const name = this.#nextCall()
    const found =
      name !== undefined
        ? this.#call(name, isNot)
        : isNot
          ? opposite(this.#unary())
          : this.#take('(')
            ? this.#inParentheses()
            : this.#comparison()
    this.#depth--
    return found
  }
  #inParentheses(): Node {
    const found = this.#any()
    this.#expect(')')
    return found
  }
  #all(): Node {
    let found = this.#unary()
    while (this.#take('and')) found = both(found, this.#unary())
    return found
  }
  #any(): Node {
    let found = this.#all()
    while (this.#take('or')) found = either(found, this.#all())
    return found
  }
}

/** A trigger in FQL as the filter of a channel. https://segment.com/docs/api/public-api/fql/ */
export function readFql(expression: string): FqlResult {
  try {
    const node = expression.trim() === '' ? 'all' : new FqlReader(tokensOf(expression)).read()
    if (node === 'none') return { none: true }
    return { filter: node === 'all' ? {} : node }
  } catch (problem) {
    if (problem instanceof FqlProblem) return { problem: problem.message }
    throw problem
  }
}
