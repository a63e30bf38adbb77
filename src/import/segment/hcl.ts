import type { JsonObject } from '../json.ts'

/** A value that is not a literal: the text of a Terraform expression. */
export class HclExpression {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** `resource "segment_source" "shop" {…}`: labels and attributes. */
type HclBlock = { kind: string; labels: readonly string[]; line: number; body: JsonObject; problem?: string }

class HclProblem extends Error {
  readonly line: number
  constructor(message: string, line: number) {
    super(message)
    this.line = line
  }
}

const word = /[A-Za-z_][\w-]*/y
const number = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const blank = /\s+|#[^\n]*|\/\/[^\n]*/y
const mostNested = 100

/** Reads the literal subset of HCL: blocks, attributes, lists, objects, heredocs, and jsonencode of literals. */
class HclReader {
  readonly #text: string
  #at = 0
  #depth = 0
  #line = 1
  #counted = 0

  constructor(text: string) {
    this.#text = text
  }

  get isAtEnd(): boolean {
    this.#skip()
    return this.#at >= this.#text.length
  }
  /** The line of the current position; counts on from the previous call. */
  get line(): number {
    this.#line += this.#text.slice(this.#counted, this.#at).split('\n').length - 1
    this.#counted = this.#at
    return this.#line
  }

  #fail(message: string): never {
    throw new HclProblem(message, this.line)
  }
  #match(expression: RegExp): string | undefined {
    expression.lastIndex = this.#at
    const found = expression.exec(this.#text)?.[0]
    if (found !== undefined) this.#at += found.length
    return found
  }
  #skip(): void {
    while (this.#match(blank) !== undefined || this.#comment());
  }
  /** Skips a multi-line comment. */
  #comment(): boolean {
    if (!this.#text.startsWith('/*', this.#at)) return false
    const end = this.#text.indexOf('*/', this.#at)
    if (end < 0) this.#fail('a comment has no end')
    this.#at = end + 2
    return true
  }
  #take(sign: string): boolean {
    this.#skip()
    if (!this.#text.startsWith(sign, this.#at)) return false
    this.#at += sign.length
    return true
  }
  #expect(sign: string): void {
    if (!this.#take(sign)) this.#fail(`${sign} is missing`)
  }
  #word(): string {
    this.#skip()
    return this.#match(word) ?? this.#fail('a name is missing')
  }

  /** A quoted string; with `${…}` it is an expression. */
  #quoted(): string | HclExpression {
    const start = this.#at
    let isExpression = false
    for (let at = start; at < this.#text.length; at++) {
      const sign = this.#text[at]
      if (sign === '\n') break
      if (sign === '\\') at++
      else if (sign === '$' && this.#text[at + 1] === '{' && this.#text[at - 1] !== '$') isExpression = true
      else if (sign === '"') {
        this.#at = at + 1
        const raw = this.#text.slice(start, at)
        if (isExpression) return new HclExpression(raw)
        return (JSON.parse(`"${raw.replaceAll('\t', '\\t')}"`) as string)
          .replaceAll('$${', '${')
          .replaceAll('%%{', '%{')
      }
    }
    return this.#fail('a text has no end')
  }

  #heredoc(): string | HclExpression {
    const isIndented = this.#take('-')
    const mark = this.#word()
    const start = this.#text.indexOf('\n', this.#at) + 1
    const lines: string[] = []
    for (let at = start; at > 0 && at < this.#text.length; ) {
      const end = this.#text.indexOf('\n', at)
      const line = this.#text.slice(at, end < 0 ? undefined : end)
      if (line.trim() === mark) {
        this.#at = at + line.length
        const text = isIndented ? dedented(lines) : lines.join('\n')
        return text.includes('${') ? new HclExpression(text) : `${text}\n`
      }
      lines.push(line)
      at = end < 0 ? 0 : end + 1
    }
    return this.#fail(`the text has no end ${mark}`)
  }

  /** Skips the rest of an unsupported expression, up to the end of the line outside brackets. */
  #expression(start: number): HclExpression {
    let open = 0
    while (this.#at < this.#text.length) {
      const sign = this.#text[this.#at]!
      if (sign === '"') {
        this.#at++
        this.#quoted()
        continue
      }
      if ('([{'.includes(sign)) open++
      else if (')]}'.includes(sign) && open-- === 0) break
      else if (open === 0 && (sign === '\n' || sign === ',')) break
      this.#at++
    }
    return new HclExpression(this.#text.slice(start, this.#at).trim())
  }

  #list(): unknown[] {
    const items: unknown[] = []
    while (!this.#take(']')) {
      items.push(this.#value())
      if (!this.#take(',')) {
        this.#expect(']')
        break
      }
    }
    return items
  }

  #object(): JsonObject {
    const entries: [string, unknown][] = []
    while (!this.#take('}')) {
      const name = this.#take('"') ? this.#quoted() : this.#word()
      if (typeof name !== 'string') this.#fail('a name is computed')
      if (!this.#take('=')) this.#expect(':')
      entries.push([name, this.#value()])
      this.#take(',')
    }
    return Object.fromEntries(entries)
  }

  #value(): unknown {
    if (++this.#depth > mostNested) this.#fail('it is nested too deep')
    const value = this.#plainValue()
    this.#depth--
    return value
  }

  #plainValue(): unknown {
    this.#skip()
    const start = this.#at
    if (this.#take('"')) return this.#quoted()
    if (this.#take('<<')) return this.#heredoc()
    if (this.#take('[')) return this.#list()
    if (this.#take('{')) return this.#object()
    const digits = this.#match(number)
    if (digits !== undefined) return Number(digits)
    const name = this.#word()
    if (name === 'jsonencode' && this.#take('(')) {
      const value = this.#value()
      this.#expect(')')
      return value
    }
    if (name === 'true' || name === 'false') return name === 'true'
    if (name === 'null') return null
    return this.#expression(start)
  }

  /** Attributes and blocks up to `}`; a nested block becomes a member with its attributes. */
  #body(): JsonObject {
    const entries: [string, unknown][] = []
    while (!this.#take('}')) {
      const name = this.#word()
      if (this.#take('=')) entries.push([name, this.#value()])
      else {
        this.#labels()
        if (++this.#depth > mostNested) this.#fail('it is nested too deep')
        entries.push([name, this.#body()])
        this.#depth--
      }
    }
    return Object.fromEntries(entries)
  }

  /** The labels before `{`, which is consumed. */
  #labels(): string[] {
    const labels: string[] = []
    while (!this.#take('{')) {
      const label = this.#take('"') ? this.#quoted() : this.#word()
      labels.push(label instanceof HclExpression ? label.text : label)
      if (labels.length > 5) this.#fail('{ is missing')
    }
    return labels
  }

  block(): HclBlock {
    const line = this.line
    const kind = this.#word()
    return { kind, labels: this.#labels(), line, body: this.#body() }
  }
}

const dedented = (lines: readonly string[]) => {
  const indents = lines.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length)
  const indent = Math.min(...indents, 1_000)
  return lines.map((line) => line.slice(indent)).join('\n')
}

/** The blocks of a Terraform file. Unreadable text ends the file with a problem and its line. */
export function readHcl(text: string): { blocks: HclBlock[]; problem?: { line: number; message: string } } {
  const reader = new HclReader(text)
  const blocks: HclBlock[] = []
  try {
    while (!reader.isAtEnd) blocks.push(reader.block())
    return { blocks }
  } catch (problem) {
    const isOwn = problem instanceof HclProblem
    if (!isOwn && !(problem instanceof SyntaxError)) throw problem
    return { blocks, problem: { line: isOwn ? problem.line : reader.line, message: problem.message } }
  }
}
